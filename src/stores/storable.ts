import { sha256Hex } from '#runtime';
import type { RecordStore, SomeRecord } from './record-store.js';
import type { LetterStore, Step } from './store.js';

/** Letters, digits and punctuation that no database interprets; long enough for any usual identifier. */
const PLAIN_KEY = /^[\w.:@/+-]{1,200}$/;
const HASHED = 'sha256:';

/**
 * The text under which a store keeps an idempotency key: the key, so that people can find it, or its hash if the key is
 * empty, long, or contains characters that a database may reject or change. Different keys have different texts.
 */
export function storableKey(key: string): string {
  if (PLAIN_KEY.test(key) && !key.startsWith(HASHED)) return key;
  return HASHED + sha256Hex(utf16(key));
}

/** UTF-16, because UTF-8 replaces all lone surrogates with the same character. */
function utf16(text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), true);
  return new Uint8Array(view.buffer);
}

/** The values of keys in stored form, by idempotency key. Keys without a value get `missing`, or are left out. */
export function named<Value>(names: readonly string[], values: ReadonlyMap<string, Value>, missing?: Value) {
  const found = new Map<string, Value>();
  for (const name of names) {
    const value = values.get(storableKey(name)) ?? missing;
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

/** Text that every database accepts and people can read: NUL and lone surrogates are replaced. */
export function readableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(/\p{Cs}/gu, '\ufffd');
}

const MOST = 200;
/** The end of the year 9999: later times are no dates for some clients. */
const LATEST_MS = Date.UTC(10_000, 0) - 1;
const PLAIN_TEXT = /^[\w.:@/+ -]{0,200}$/;

/** A text as records keep it: readable, and at most 200 characters. Anything else, such as a wrong `via`, is left out. */
function shortText(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return PLAIN_TEXT.test(text) ? text : readableText(text.slice(0, MOST));
}

/** The record in a record or a failure, with texts that every database can keep. */
export function storableArrival({ source, via, kind, eventId, receivedAt = Number.NaN }: SomeRecord): SomeRecord {
  const isTime = receivedAt >= 0 && receivedAt <= LATEST_MS;
  return {
    source: shortText(source),
    via: shortText(via),
    kind: shortText(kind),
    eventId: shortText(eventId),
    receivedAt: isTime ? Math.floor(receivedAt) : undefined,
  };
}

/** A record, or a failure with one, with texts that every database can keep. */
export function storableRecord<Record extends SomeRecord>(record: Record): Record {
  return { ...record, ...storableArrival(record) };
}

/** The same step with keys and texts in stored form. */
export function storableStep({ from, to, records, logs, transitions }: Step): Step {
  return {
    ...{ from, to },
    records: records && storableMap(records, storableRecord),
    logs: logs && storableMap(logs, (log) => log),
    transitions: transitions && storableMap(transitions, (count) => count),
  };
}

function storableMap<Value>(map: ReadonlyMap<string, Value>, to: (value: Value) => Value): Map<string, Value> {
  const stored = new Map<string, Value>();
  for (const [name, value] of map) stored.set(storableKey(name), to(value));
  return stored;
}

/** Makes a call, with a time limit. */
export type InTime = <T>(call: () => Promise<T>) => Promise<T>;

/** Wraps the letters of a store that keeps keys in stored form, with a time limit for each call. */
export function storableLetters(letters: LetterStore, inTime: InTime): LetterStore {
  return {
    fail: (name, failure) => inTime(() => letters.fail(storableKey(name), failure)),
    list: (page) => inTime(() => letters.list(page)),
    look: async (names) => named(names, await inTime(() => letters.look(names.map(storableKey)))),
    async discard(names) {
      const discarded = await inTime(() => letters.discard(names.map(storableKey)));
      return new Set(names.filter((name) => discarded.has(storableKey(name))));
    },
  };
}

/** Wraps the records of a store that keeps keys in stored form, with a time limit for each call. */
export function storableRecords({ look, find }: RecordStore, inTime: InTime): RecordStore {
  return {
    look: async (names) => named(names, await inTime(() => look(names.map(storableKey)))),
    ...(find && { find: (eventId: string) => inTime(() => find(shortText(eventId) ?? '')) }),
  };
}
