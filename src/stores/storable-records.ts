import { readableText } from './readable-text.js';
import type { RecordStore, SomeRecord, StoredRecord } from './record-store.js';
import { storableKey } from './storable-key.js';
import type { Step } from './store.js';

const MOST = 200;
/** The end of the year 9999: later times are no dates for some clients. */
const LATEST_MS = Date.UTC(10_000, 0) - 1;
const PLAIN = /^[\w.:@/+ -]{0,200}$/;

/** A text as records keep it: readable, and at most 200 characters. Anything else, such as a wrong `via`, is left out. */
export function shortText(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return PLAIN.test(text) ? text : readableText(text.slice(0, MOST));
}

/** A record, or a failure with one, with texts that every database can keep. */
export function storableRecord<Record extends SomeRecord>(record: Record): Record {
  const { source, via, kind, eventId, receivedAt = Number.NaN } = record;
  const isTime = receivedAt >= 0 && receivedAt <= LATEST_MS;
  return {
    ...record,
    source: shortText(source),
    via: shortText(via),
    kind: shortText(kind),
    eventId: shortText(eventId),
    receivedAt: isTime ? Math.floor(receivedAt) : undefined,
  };
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

/** Wraps the records of a store that keeps keys in the form of `storableKey`, with a time limit for each call. */
export function storableRecords({ look, find }: RecordStore, inTime: <T>(work: Promise<T>) => Promise<T>): RecordStore {
  return {
    async look(names) {
      const found = await inTime(look(names.map(storableKey)));
      const records = new Map<string, StoredRecord>();
      for (const name of names) {
        const record = found.get(storableKey(name));
        if (record) records.set(name, record);
      }
      return records;
    },
    ...(find && { find: (eventId: string) => inTime(find(shortText(eventId) ?? '')) }),
  };
}
