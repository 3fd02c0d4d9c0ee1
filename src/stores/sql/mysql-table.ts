import type { Step } from '../store.js';
import { codesOf } from './errors.js';
import { RECORD_COLUMNS, recordValues } from './records.js';
import { literal, literals, type State, textLiteral } from './table.js';

/** Epoch milliseconds on the server's clock, in any time zone of the session. */
export const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000`;

/** Properties of the server and the table, completed by `prepare`. */
export interface MysqlTable {
  /** Qualified, because a handler may select another database on its connection. */
  quoted: string;
  cursors: string;
  /** Prefix of lock names, because all databases of a server share them. */
  scope: string;
  isMariadb: boolean;
  /** Whether a SELECT would wait for other transactions, as in serializable ones, or see their uncommitted rows. */
  skipsLocked: boolean;
}

export function later(ms: number): string {
  return `${NOW} + ${Math.ceil(ms)}`;
}

export function earlier(ms: number): string {
  return `${NOW} - ${Math.ceil(ms)}`;
}

/** Condition for rows that are free. */
export const IS_OVER = `expires_at <= ${NOW} AND state <> 'open'`;
/** Condition for dead letters that are not being retried. */
export const IS_IDLE = `state = 'dead' AND (retry_until IS NULL OR retry_until <= ${NOW})`;

/** The name of the lock of a key. The server computes it, which costs less than longer statements. */
export function lockOf({ scope }: MysqlTable, key: string): string {
  return `CONCAT('ewr:', LEFT(SHA2(CONCAT(_ascii'${scope} ', ${key}), 256), 40))`;
}

/** Selects the keys of `owner`, and whether each was abandoned. */
export function ownedText({ quoted }: MysqlTable, keys: readonly string[], owner: string, state?: State): string {
  const inState = state === undefined ? '' : ` AND state = '${state}'`;
  return `SELECT \`key\`, abandoned + 0 FROM ${quoted} WHERE \`key\` IN (${literals(keys)}) AND owner = ${literal(owner)}${inState}`;
}

/** An expression that makes a statement fail, because it returns two rows. */
export const REFUSE = '(SELECT 1 UNION SELECT 2)';

/** Whether a statement wrote. MySQL returns no written rows, and not every client counts them. */
export async function hasWritten(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    // `REFUSE`, or an INSERT of a key that exists.
    if (codesOf(error).some((code) => code === '1242' || code === '1062')) return false;
    throw error;
  }
}

/** The columns that a statement writes. */
export interface Written {
  readonly owner: string;
  readonly state: State;
  readonly expires: string;
  /** The time of a claim; absent when an effect is recorded. */
  readonly claimed?: string | undefined;
  readonly records?: Step['records'];
}

/** A text as an expression that compares with the columns. */
export function text(value: string): string {
  return textLiteral(value, (hex) => `CONVERT(X'${hex}' USING utf8mb4) COLLATE utf8mb4_bin`);
}

/** The columns that a statement writes, and those of records if it has them. */
export function columnsOf({ claimed, records }: Written): string[] {
  const times = [claimed === undefined ? 'done_at' : 'claimed_at'];
  return ['owner', 'state', 'expires_at', ...times, ...(records ? RECORD_COLUMNS : [])];
}

/** An INSERT without its end. */
export function insertInto({ quoted }: MysqlTable, keys: readonly string[], written: Written, ignore = ''): string {
  const { owner, state, expires, claimed = NOW, records } = written;
  const fixed = `${literal(owner)}, '${state}', ${expires}, ${claimed}`;
  const asValue = (value: string | number | null) => (typeof value === 'string' ? text(value) : String(value));
  const rowOf = (key: string) => (records ? `, ${recordValues(records.get(key)).map(asValue).join(', ')}` : '');
  const rows = keys.map((key) => `(${literal(key)}, ${fixed}${rowOf(key)})`).join(', ');
  return `INSERT${ignore} INTO ${quoted} (\`key\`, ${columnsOf(written).join(', ')}) VALUES ${rows}`;
}

/**
 * Inserts, or overwrites where `condition` is true. MySQL applies the assignments in order, and later ones see the new
 * values. So the columns of the condition (`owner`, `state`, `expires_at`) are assigned last, and the new state is
 * never `open`: the condition would be false before `expires_at` is assigned. Only recorded effects remove letters.
 */
export function upsert(
  table: MysqlTable,
  keys: readonly string[],
  written: Written & { readonly state: 'lease' | 'done' },
  condition: string,
): string {
  const set = (column: string, value: unknown) => `${column} = IF(${condition}, ${value}, ${column})`;
  const first =
    written.state === 'lease' ? [set('abandoned', `state = 'lease'`), set('done_at', 'NULL')] : [set('letter', 'NULL')];
  const [owner, state, expires, ...others] = columnsOf(written).map((column) => set(column, `VALUES(${column})`));
  return `${insertInto(table, keys, written)} ON DUPLICATE KEY UPDATE ${[...first, ...others, owner, state, expires].join(', ')}`;
}

export function isolationVariable({ isMariadb }: MysqlTable): string {
  return isMariadb ? 'tx_isolation' : 'transaction_isolation';
}

/** Ends a SELECT that must not wait for the rows of other transactions. */
export function unlessLocked({ isMariadb, skipsLocked }: MysqlTable): string {
  if (!skipsLocked) return '';
  return isMariadb ? 'LOCK IN SHARE MODE SKIP LOCKED' : 'FOR SHARE SKIP LOCKED';
}
