import type { Finding } from '../explain/finding.js';
import { budget, cut } from './bounded.js';
import { itemsOf } from './contents.js';
import type { KeptDelivery } from './feed.js';
import type { ItemView, KnownContracts } from './item-view.js';
import type { Attempt, HeaderLine, Verdict } from './record.js';

/** A delivery in the list. Every text is cut to 200 characters. */
export interface Summary {
  readonly id: string;
  /** When it was first sent, or came, in Unix milliseconds. */
  readonly at: number;
  readonly target: string;
  readonly label?: string | undefined;
  readonly verdict: Verdict;
  /** Of the last attempt, as all that follows. */
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

/** A delivery opened. Its size is bounded whatever the delivery is. */
export interface Detail extends Omit<Summary, 'attempts'> {
  /** Of the last attempt. */
  readonly headers: readonly HeaderLine[];
  /** At most 1 MiB of the body. */
  readonly bodyBase64: string;
  readonly bodyTruncated?: true | undefined;
  readonly bodyDropped?: true | undefined;
  /** The last 100. */
  readonly attempts: readonly Attempt[];
  /** Why it does not verify, the likeliest first. */
  readonly findings: readonly Finding[];
  /** The first 200; `events` says how many there are. */
  readonly items: readonly ItemView[];
}

const TEXT = 200;
const BODY = 1024 * 1024;
const [ATTEMPTS, ITEMS, HEADERS] = [100, 200, 100];
const [HEADER_VALUE, REASON] = [8_192, 2_000];
/** Characters of all texts of the items together. */
const ITEM_TEXTS = 2 * 1024 * 1024;
/** Characters of logs that are decoded for them together, each as often as it is tried: a few seconds at the most. */
const ITEM_LOGS = 4_000_000;

/** What came of an attempt, by its answer. */
export function verdictOf({ status, reason, code, durationMs }: Attempt): Verdict {
  if (status !== undefined) return status === 403 ? 'refused' : status >= 200 && status < 300 ? 'accepted' : 'failed';
  return reason === undefined && code === undefined && durationMs === undefined ? 'pending' : 'failed';
}

/** The last attempt of a delivery. */
export function lastOf({ attempts }: Pick<KeptDelivery, 'attempts'>): Attempt {
  return attempts.at(-1) ?? { at: 0, headers: [] };
}

/** What the list shows of a delivery: small, whatever the delivery is. */
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

/** What goes into a detail beside the record. */
export interface DetailSources {
  readonly contracts?: KnownContracts | undefined;
  readonly findings?: readonly Finding[] | undefined;
}

/** A delivery with all that is shown when it is opened. */
export async function detailOf(record: KeptDelivery, { contracts, findings }: DetailSources = {}): Promise<Detail> {
  // Decoding is some 100 kB of code: it is loaded when it is first asked for.
  const { itemView } = await import('./item-view.js');
  let left = ITEM_LOGS;
  const spend = (characters: number) => {
    const may = characters <= left;
    if (may) left -= characters;
    return may;
  };
  const bounds = { cut: budget(ITEM_TEXTS), spend };
  return {
    ...summaryOf(record),
    headers: headersOf(lastOf(record)),
    bodyBase64: Buffer.from(record.rawBody.subarray(0, BODY)).toString('base64'),
    bodyTruncated: record.rawBody.byteLength > BODY || undefined,
    bodyDropped: record.bodyDropped || undefined,
    attempts: record.attempts.slice(-ATTEMPTS).map((attempt) => ({
      ...attempt,
      headers: headersOf(attempt),
      reason: attempt.reason === undefined ? undefined : cut(attempt.reason, REASON),
    })),
    findings: findings ?? [],
    items: itemsOf(record.rawBody)
      .slice(0, ITEMS)
      .map((item) => itemView(item, contracts ?? (() => undefined), bounds)),
  };
}

function headersOf({ headers }: Attempt): HeaderLine[] {
  return headers.slice(0, HEADERS).map(([name, value]) => [cut(name, TEXT), cut(value, HEADER_VALUE)]);
}
