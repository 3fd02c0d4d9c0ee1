import type { Finding } from '../explain/finding.js';
import type { Attempt, HeaderLine, Verdict } from './delivery-record.js';
import type { KeptDelivery } from './feed.js';
import type { ItemView } from './item-view.js';
import { beyond, cut } from './text-limits.js';

/** A delivery in the list. Every text is cut to 200 characters. */
export interface Summary {
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
  readonly bytes: number;
  readonly events: number;
  readonly kinds: readonly string[];
  readonly contracts: readonly string[];
  readonly names: readonly string[];
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
  /** The last 100. */
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
const [ATTEMPTS, HEADERS] = [100, 100];
const [HEADER_VALUE, REASON] = [8_192, 2_000];

/** The verdict of an attempt, by its response. */
export function verdictOf({ status, reason, code, durationMs }: Attempt): Verdict {
  if (status !== undefined) return status === 403 ? 'refused' : status >= 200 && status < 300 ? 'accepted' : 'failed';
  return reason === undefined && code === undefined && durationMs === undefined ? 'pending' : 'failed';
}

/** The last attempt of a delivery. */
export function lastOf({ attempts }: Pick<KeptDelivery, 'attempts'>): Attempt {
  return attempts.at(-1) ?? { at: 0, headers: [] };
}

/** A delivery as the list shows it: small for any delivery. */
export function summaryOf(record: KeptDelivery): Summary {
  const last = lastOf(record);
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
    ...record.contents,
  };
}

/** A delivery with everything that the detail panel shows. */
export function detailOf(record: KeptDelivery, shown: Pick<Detail, 'findings' | 'items'>): Detail {
  return {
    ...summaryOf(record),
    headers: headersOf(lastOf(record)),
    bodyBase64: Buffer.from(record.rawBody.subarray(0, BODY)).toString('base64'),
    bodyTruncated: record.rawBody.byteLength > BODY || undefined,
    bodyDropped: record.bodyDropped || undefined,
    earlierAttempts: beyond(record.attempts, ATTEMPTS),
    attempts: record.attempts.slice(-ATTEMPTS).map((attempt) => ({
      ...attempt,
      headers: headersOf(attempt),
      moreHeaders: beyond(attempt.headers, HEADERS),
      reason: attempt.reason === undefined ? undefined : cut(attempt.reason, REASON),
    })),
    ...shown,
  };
}

function headersOf({ headers }: Attempt): HeaderLine[] {
  return headers.slice(0, HEADERS).map(([name, value]) => [cut(name, TEXT), cut(value, HEADER_VALUE)]);
}
