import { type Contents, contentsOf, unread } from './contents.js';
import type { Attempt, AttemptResponse, Cause, DeliveryRecord } from './delivery-record.js';

/** A record in the feed. */
export interface KeptDelivery extends DeliveryRecord {
  /** Summary of the body, kept after the body is dropped; only its size until it has been read. */
  readonly contents: Contents;
  /** Why the last attempt was not accepted, once that is known. */
  readonly cause?: Cause | undefined;
}

/** Limits of a feed. */
export interface FeedOptions {
  /** The oldest records beyond this many are dropped. (Default: 10 000.) */
  readonly maxDeliveries?: number | undefined;
  /**
   * Memory limit in bytes: beyond it the oldest bodies and responses are dropped, and the oldest records once all records without their
   * bodies take more than half of it. (Default: 64 MiB.)
   */
  readonly maxBytes?: number | undefined;
}

export type Feed = ReturnType<typeof createFeed>;

/** Approximate overhead of a record, in bytes. */
const OVERHEAD = 500;
const NOTHING = new Uint8Array(0);

/** Keeps the deliveries of a run, in order of arrival. Its memory is bounded. */
export function createFeed({ maxDeliveries = 10_000, maxBytes = 64 * 1024 * 1024 }: FeedOptions = {}) {
  const records = new Map<string, KeptDelivery>();
  /** Ids of records with a body or a response, oldest first. */
  const withBody = new Set<string>();
  const listeners = new Set<(record: KeptDelivery | undefined) => void>();
  let bodyBytes = 0;
  let otherBytes = 0;

  function count(record: KeptDelivery | undefined, sign: 1 | -1): void {
    if (record === undefined) return;
    bodyBytes += sign * bodySize(record);
    otherBytes += sign * textSize(record);
  }

  function set(record: KeptDelivery): void {
    count(records.get(record.id), -1);
    count(record, 1);
    records.set(record.id, record);
    if (bodySize(record) > 0) withBody.add(record.id);
    else withBody.delete(record.id);
  }

  function keep(record: KeptDelivery): void {
    set(record);
    makeRoom();
    const kept = records.get(record.id);
    if (kept) for (const listener of listeners) listener(kept);
  }

  function dropBody(id: string): void {
    // Every id in `withBody` has a record.
    const record = records.get(id) as KeptDelivery;
    const attempts = record.attempts.map(({ response: _dropped, ...attempt }) => attempt);
    set({ ...record, rawBody: NOTHING, bodyDropped: true, attempts });
  }

  function drop(id: string): void {
    count(records.get(id), -1);
    records.delete(id);
    withBody.delete(id);
  }

  function makeRoom(): void {
    for (const id of records.keys()) {
      const fits = records.size <= maxDeliveries && otherBytes <= maxBytes / 2;
      if (fits || records.size === 1) break;
      drop(id);
    }
    for (const id of withBody) {
      if (bodyBytes + otherBytes <= maxBytes) return;
      dropBody(id);
    }
  }

  return {
    maxDeliveries,
    maxBytes,
    /** Approximate size of the records, in bytes. */
    get bytes(): number {
      return bodyBytes + otherBytes;
    },
    /** Adds a record, or replaces the one with the same id. Keeps the responses to attempts that it has without them. */
    put(record: DeliveryRecord): void {
      const known = records.get(record.id);
      const isRead = !record.bodyDropped && record.verified !== false;
      const contents = isRead ? contentsOf(record.rawBody) : (known?.contents ?? unread(record.rawBody.byteLength));
      const attempts = withResponses(record.attempts, known?.attempts);
      keep({ ...record, attempts, rawBody: compact(record.rawBody), contents, cause: known?.cause });
    },
    /** Sets the summary of a body that was added unread. */
    describe(id: string, contents: Contents): void {
      const record = records.get(id);
      if (record) keep({ ...record, contents });
    },
    /** Sets why a delivery was not accepted. */
    setCause(id: string, cause: Cause | undefined): void {
      const record = records.get(id);
      if (record) keep({ ...record, cause });
    },
    get: (id: string) => records.get(id),
    /** The oldest first. */
    list: () => [...records.values()],
    /** Calls the listener with every record that is added or replaced, and with undefined after `clear`. Returns an unsubscribe function. */
    subscribe(listener: (record: KeptDelivery | undefined) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear(): void {
      records.clear();
      withBody.clear();
      bodyBytes = 0;
      otherBytes = 0;
      for (const listener of listeners) listener(undefined);
    },
  };
}

/** Copies bytes that are part of a larger buffer, which would otherwise stay in memory. */
function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Attempts with the responses that are known of them. */
function withResponses(attempts: readonly Attempt[], known: readonly Attempt[] = []): readonly Attempt[] {
  return attempts.map((attempt) => {
    const same = known.find(({ at, status }) => at === attempt.at && status === attempt.status);
    const response = attempt.response ?? same?.response;
    return response === attempt.response ? attempt : { ...attempt, response };
  });
}

/** Size of the body of a record and of the responses to it, in bytes: they are dropped together. */
function bodySize({ rawBody, attempts }: KeptDelivery): number {
  return attempts.reduce((size, { response }) => size + (response ? responseSize(response) : 0), rawBody.byteLength);
}

/** Size of a record without its bodies, in bytes. */
function textSize(record: KeptDelivery): number {
  const texts = record.attempts.flatMap(({ headers, reason = '', fault = '' }) => [reason, fault, ...headers.flat()]);
  const { kinds, contracts, names, gist } = record.contents;
  for (const text of [record.target, record.label ?? '', gist.text, ...kinds, ...contracts, ...names]) texts.push(text);
  return texts.reduce((size, text) => size + 2 * text.length, OVERHEAD);
}

/** Approximate overhead of a response, in bytes. */
const RESPONSE_OVERHEAD = 200;

/** Approximate size of a response in memory, in bytes. */
function responseSize({ headers, bodyBase64 }: AttemptResponse): number {
  const size = RESPONSE_OVERHEAD + bodyBase64.length;
  return headers.reduce((sum, [name, value]) => sum + 2 * (name.length + value.length), size);
}
