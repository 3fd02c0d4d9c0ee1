import type { KeyRecord, RecordState, RecordStore, StoredRecord } from '../record-store.js';
import type { RunStatement } from './database.js';
import type { Syntax, Texts } from './dialect.js';
import { select } from './syntax.js';

/** The columns that a claim writes, and the values for a record. */
export const RECORD_COLUMNS = ['source', 'via', 'kind', 'event_id', 'received_at'] as const;
export function recordValues(record: KeyRecord | undefined): (string | number | null)[] {
  const { source = null, via = null, kind = null, eventId = null, receivedAt = null } = record ?? {};
  return [source, via, kind, eventId, receivedAt];
}

const MOST_FOUND = 100;

const STATES: Record<string, RecordState> = {
  lease: 'in-progress',
  over: 'abandoned',
  open: 'unknown',
  failed: 'failed',
  dead: 'dead-lettered',
  reverted: 'reverted',
};

/** Records in the table of the keys. */
export function sqlRecords(run: RunStatement, syntax: Syntax): RecordStore {
  const { key, ms, read } = syntax;

  function recordOf([name, found, attempts, ...values]: unknown[]): [string, StoredRecord] {
    const [receivedAt, claimedAt, doneAt, lastFailedAt] = values.map((each) =>
      each === null ? undefined : Number(each),
    );
    const texts = values.slice(4).map((each) => (each === null ? undefined : read(String(each))));
    const [source, via, kind, eventId, code, message] = texts;
    const isDone = ['done', 'applied', 'reverted'].includes(String(found));
    return [
      String(name),
      {
        state: STATES[String(found)] ?? (doneAt === undefined ? 'discarded' : 'handled'),
        ...{ source, via, kind, eventId, attempts: Number(attempts) },
        ...(!isDone && { code, message }),
        ...{ receivedAt, claimedAt, doneAt, lastFailedAt },
      },
    ];
  }

  async function find(condition: (texts: Texts) => string) {
    const columns = [
      ...[key, `CASE WHEN state = 'lease' AND ${syntax.isOver()} THEN 'over' ELSE state END`, 'attempts'],
      ...['received_at', 'claimed_at', 'done_at', 'last_failed_at'].map(ms),
      ...['source', 'via', 'kind', 'event_id', 'error_code', 'error_message'].map(syntax.select),
    ];
    const found = await select(run, syntax, columns, (texts) => `${condition(texts)} LIMIT ${MOST_FOUND}`);
    return new Map(found.map(recordOf));
  }

  return {
    look: (keys) => find((texts) => syntax.among(keys, texts)),
    find: (eventId) => find(({ of }) => `event_id = ${of(eventId)}`),
  };
}
