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
  /** Whether the store's transactions are serializable: SELECT waits for other transactions in those. */
  isSerializable: boolean;
}

export function later(ms: number): string {
  return `${NOW} + ${Math.ceil(ms)}`;
}

/** Selects the keys of `owner`. */
export function ownedBy({ quoted }: MysqlTable, keys: readonly string[], owner: string, done: 0 | 1): string {
  return `SELECT \`key\` FROM ${quoted} WHERE \`key\` IN (${literals(keys)}) AND owner = ${literal(owner)} AND done = ${done}`;
}

export function isolationVariable({ isMariadb }: MysqlTable): string {
  return isMariadb ? 'tx_isolation' : 'transaction_isolation';
}

/** Ends a SELECT that must not wait for the rows of other transactions. */
export function unlessLocked({ isMariadb, isSerializable }: MysqlTable): string {
  if (!isSerializable) return '';
  return isMariadb ? 'LOCK IN SHARE MODE SKIP LOCKED' : 'FOR SHARE SKIP LOCKED';
}
