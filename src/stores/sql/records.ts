import type { KeyRecord, RecordState, StoredRecord } from '../record-store.js';
import { type Answer, type RunStatement, valuesOf } from './database.js';
import { hexOf } from './letter-texts.js';
import { literals } from './table.js';

/** The statements that read records, with keys and texts in stored form. */
export interface RecordStatements {
  look(run: RunStatement, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>>;
  find(run: RunStatement, eventId: string): Promise<ReadonlyMap<string, StoredRecord>>;
}

/** The columns that a claim writes, and the values for a record. */
export const RECORD_COLUMNS = ['source', 'via', 'kind', 'event_id', 'received_at'] as const;
export function recordValues(record: KeyRecord | undefined): (string | number | null)[] {
  const { source = null, via = null, kind = null, eventId = null, receivedAt = null } = record ?? {};
  return [source, via, kind, eventId, receivedAt];
}

/** Texts without an escape of a server or a placeholder of a client. */
const PLAIN = /^[\w .:@/+,{}"[\]-]*$/;

/** A text as a literal: as it is, or `decoded` from hex digits. */
export function textLiteral(text: string, decoded: (hex: string) => string): string {
  return PLAIN.test(text) ? `'${text}'` : decoded(hexOf(text));
}

const MOST_FOUND = 100;

/** The parts of a SELECT that the dialects write differently. */
interface Parts {
  from(): string;
  readonly key: string;
  /** Condition that the lease of the row is over. */
  isOver(): string;
  /** Expressions for epoch milliseconds, for a text that `read` reads, and for a given text. */
  ms(column: string): string;
  text(column: string): string;
  readonly read: (value: string) => string;
  readonly literal: (text: string) => string;
  /** Ends the statement. */
  end?(): string;
}

const STATES: Record<string, RecordState> = {
  lease: 'in-progress',
  over: 'abandoned',
  open: 'unknown',
  failed: 'failed',
  dead: 'dead-lettered',
  reverted: 'reverted',
};

export function sqlRecords({ from, key, isOver, ms, text, read, literal, end = () => '' }: Parts): RecordStatements {
  const times = ['received_at', 'claimed_at', 'done_at', 'last_failed_at'].map(ms);
  const texts = ['source', 'via', 'kind', 'event_id', 'error_code', 'error_message'].map(text);
  const state = () => `CASE WHEN state = 'lease' AND ${isOver()} THEN 'over' ELSE state END`;

  function recordOf(row: object): [string, StoredRecord] {
    const [name = '', found = '', attempts] = valuesOf(row);
    const [receivedAt, claimedAt, doneAt, lastFailedAt, ...others] = Object.values(row).slice(3);
    const [source, via, kind, eventId, code, message] = others.map((each) => (each === null ? undefined : read(each)));
    const time = (value: unknown) => (value === null ? undefined : Number(value));
    const isDone = ['done', 'applied', 'reverted'].includes(found);
    return [
      name,
      {
        state: STATES[found] ?? (doneAt === null ? 'discarded' : 'handled'),
        ...{ source, via, kind, eventId, attempts: Number(attempts) },
        ...(!isDone && { code, message }),
        receivedAt: time(receivedAt),
        claimedAt: time(claimedAt),
        doneAt: time(doneAt),
        lastFailedAt: time(lastFailedAt),
      },
    ];
  }
  const select = async (run: RunStatement, condition: string) => {
    // Named, because clients return rows as objects.
    const columns = [key, state(), 'attempts', ...times, ...texts].map((each, at) => `${each} AS c${at}`).join(', ');
    const { rows }: Answer = await run(
      `SELECT ${columns} FROM ${from()} WHERE ${condition} LIMIT ${MOST_FOUND} ${end()}`,
    );
    return new Map(rows.map(recordOf));
  };
  return {
    look: (run, keys) => select(run, `${key} IN (${literals(keys)})`),
    find: (run, eventId) => select(run, `event_id = ${literal(eventId)}`),
  };
}
