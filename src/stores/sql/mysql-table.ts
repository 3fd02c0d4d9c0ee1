import { literal, literals } from './table.js';

/** Epoch milliseconds on the server's clock, in any time zone of the session. */
export const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000`;
export const COLUMNS = '(`key`, owner, done, expires_at)';

/** What the store knows of its server and table. `prepare` completes it. */
export interface MysqlTable {
  /** Qualified, because a handler may leave its connection with another database. */
  quoted: string;
  cursors: string;
  /** Begins the names of locks, which all databases of a server share. */
  scope: string;
  isMariadb: boolean;
  /** Whether SELECT would wait for other transactions, as in serializable ones, or see what they have not committed. */
  skipsLocked: boolean;
}

export function later(ms: number): string {
  return `${NOW} + ${Math.ceil(ms)}`;
}

/** Selects the keys of `owner`. */
export function ownedBy({ quoted }: MysqlTable, keys: readonly string[], owner: string, done?: 0 | 1): string {
  const state = done === undefined ? '' : ` AND done = ${done}`;
  return `SELECT \`key\` FROM ${quoted} WHERE \`key\` IN (${literals(keys)}) AND owner = ${literal(owner)}${state}`;
}

/** What a statement writes to rows. */
export interface Written {
  readonly owner: string;
  readonly done: 0 | 1;
  readonly expires: string | number | bigint;
}

/** Inserts, or overwrites where `condition` is true. Each assignment sees those before it, so the columns of the condition come last. */
export function upsert(
  { quoted }: MysqlTable,
  keys: readonly string[],
  { owner, done, expires }: Written,
  condition: string,
): string {
  const rows = keys.map((key) => `(${literal(key)}, ${literal(owner)}, ${done}, ${expires})`).join(', ');
  const set = (column: string, value: unknown) => `${column} = IF(${condition}, ${value}, ${column})`;
  return `INSERT INTO ${quoted} ${COLUMNS} VALUES ${rows} ON DUPLICATE KEY UPDATE
    ${set('done', done)}, ${set('owner', literal(owner))}, ${set('expires_at', expires)}`;
}

export function isolationVariable({ isMariadb }: MysqlTable): string {
  return isMariadb ? 'tx_isolation' : 'transaction_isolation';
}

/** Ends a SELECT that must not wait for the rows of other transactions. */
export function unlessLocked({ isMariadb, skipsLocked }: MysqlTable): string {
  if (!skipsLocked) return '';
  return isMariadb ? 'LOCK IN SHARE MODE SKIP LOCKED' : 'FOR SHARE SKIP LOCKED';
}
