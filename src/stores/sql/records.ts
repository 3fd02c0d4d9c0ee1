import type { KeyRecord, RecordState, RecordStore, StoredRecord } from '../record-store.js';
import type { RunStatement } from './database.js';
import type { Statements } from './dialect.js';
import { explaining } from './errors.js';
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
export function sqlRecords(plain: RunStatement, statements: Statements): RecordStore {
  const run = explaining(plain, statements.table);
  const { syntax } = statements;
  const { key, ms, read, texts: begin } = syntax;

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

  async function find(condition: string, values: readonly string[] | undefined) {
    await statements.prepare?.(run);
    const columns = [
      ...[key, `CASE WHEN state = 'lease' AND ${syntax.isOver()} THEN 'over' ELSE state END`, 'attempts'],
      ...['received_at', 'claimed_at', 'done_at', 'last_failed_at'].map(ms),
      ...['source', 'via', 'kind', 'event_id', 'error_code', 'error_message'].map(syntax.select),
    ];
    const found = await select(run, syntax, columns, `${condition} LIMIT ${MOST_FOUND}`, values);
    return new Map(found.map(recordOf));
  }

  return {
    look(keys) {
      const texts = begin();
      return find(syntax.among(keys, texts), texts.values());
    },
    find(eventId) {
      const texts = begin();
      return find(`event_id = ${texts.of(eventId)}`, texts.values());
    },
  };
}
