import type { Finding } from '../explain/finding.js';
import type { Contents } from './contents.js';
import type { Attempt, AttemptResponse, Cause, HeaderLine, Verdict } from './delivery-record.js';
import type { KeptDelivery } from './feed.js';
import { gistText } from './gist.js';
import type { ItemView } from './item-view.js';
import type { KnownContracts } from './known-contracts.js';
import { beyond, cut } from './text-limits.js';
import { verdictOf } from './verdict.js';

/** A delivery in the list. Every text is cut to 200 characters. */
export interface Summary extends Omit<Contents, 'gist'> {
  readonly id: string;
  /** When it was first sent or received, in Unix milliseconds. */
  readonly at: number;
  readonly target: string;
  readonly label?: string | undefined;
  readonly verdict: Verdict;
  /** Of the last attempt, like the following fields. */
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly fault?: string | undefined;
  readonly attempts: number;
  readonly nextAttemptAt?: number | undefined;
  /** One line that tells deliveries apart, such as "4.5 TKN · 0xf39F → 0x7099", cut to 120 characters; empty if nothing is known. */
  readonly gist: string;
  /** Why it was not accepted, once that is known. */
  readonly cause?: Cause | undefined;
  /** Whether the signature was verified here; undefined if the receiver is another process. */
  readonly verified?: boolean | undefined;
  /** The webhook that it belongs to, if the source has several. */
  readonly webhookId?: number | undefined;
  /** Whether it was opened from a recording. */
  readonly recorded?: true | undefined;
}

/** An attempt, with its first 100 headers. */
export interface AttemptView extends Attempt {
  /** How many more headers there are. */
  readonly moreHeaders?: number | undefined;
}

/** A delivery in full, for the detail panel. Its size is bounded. */
export interface Detail extends Omit<Summary, 'attempts'> {
  /** Of the last attempt. */
  readonly headers: readonly HeaderLine[];
  /** At most 1 MiB of the body. */
  readonly bodyBase64: string;
  readonly bodyTruncated?: true | undefined;
  readonly bodyDropped?: true | undefined;
  /** The last 100; only the last 10 with their responses. */
  readonly attempts: readonly AttemptView[];
  /** How many attempts there were before these. */
  readonly earlierAttempts?: number | undefined;
  /** Why it does not verify, the likeliest cause first. */
  readonly findings: readonly Finding[];
  /** The first 200; `events` is the total. */
  readonly items: readonly ItemView[];
}

const TEXT = 200;
const BODY = 1024 * 1024;
const [ATTEMPTS, RESPONSES, HEADERS] = [100, 10, 100];
const [HEADER_VALUE, REASON] = [8_192, 2_000];

/** The last attempt of a delivery. */
export function lastOf({ attempts }: Pick<KeptDelivery, 'attempts'>): Attempt {
  return attempts.at(-1) ?? { at: 0, headers: [] };
}

/** A delivery for the list. Its size is bounded. @param contracts for amounts in units of a token */
export function summaryOf(record: KeptDelivery, contracts?: KnownContracts): Summary {
  const last = lastOf(record);
  const { gist, ...contents } = record.contents;
  return {
    id: record.id,
    at: record.attempts[0]?.at ?? 0,
    target: cut(record.target, TEXT),
    label: record.label === undefined ? undefined : cut(record.label, TEXT),
    verdict: verdictOf(last),
    status: last.status,
    code: last.code === undefined ? undefined : cut(last.code, TEXT),
    durationMs: last.durationMs,
    fault: last.fault === undefined ? undefined : cut(last.fault, TEXT),
    attempts: record.attempts.length,
    nextAttemptAt: record.nextAttemptAt,
    webhookId: record.webhookId,
    recorded: record.recorded,
    verified: record.verified,
    cause: record.cause,
    ...contents,
    gist: gistText(gist, contracts),
  };
}

/** A delivery for the detail panel. */
export function detailOf(
  record: KeptDelivery,
  shown: Pick<Detail, 'findings' | 'items'>,
  contracts?: KnownContracts,
): Detail {
  return {
    ...summaryOf(record, contracts),
    headers: headersOf(lastOf(record)),
    bodyBase64: base64Of(record.rawBody),
    bodyTruncated: record.rawBody.byteLength > BODY || undefined,
    bodyDropped: record.bodyDropped || undefined,
    earlierAttempts: beyond(record.attempts, ATTEMPTS),
    attempts: record.attempts.slice(-ATTEMPTS).map((attempt, at, { length }) => ({
      ...attempt,
      headers: headersOf(attempt),
      moreHeaders: beyond(attempt.headers, HEADERS),
      reason: attempt.reason === undefined ? undefined : cut(attempt.reason, REASON),
      response: at < length - RESPONSES ? undefined : responseOf(attempt.response),
    })),
    ...shown,
  };
}

/** A response is bounded, but its single headers are not. */
function responseOf(response: AttemptResponse | undefined): AttemptResponse | undefined {
  return response && { ...response, headers: headersOf(response) };
}

const base64Of = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, BODY)).toString('base64');

function headersOf({ headers }: Pick<Attempt, 'headers'>): HeaderLine[] {
  return headers.slice(0, HEADERS).map(([name, value]) => [cut(name, TEXT), cut(value, HEADER_VALUE)]);
}
