import { literal, literals, type State } from './table.js';

/** Epoch milliseconds on the server's clock, in any time zone of the session. */
export const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000`;
export const COLUMNS = '(`key`, owner, state, expires_at)';

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
export function ownedBy({ quoted }: MysqlTable, keys: readonly string[], owner: string, state?: State): string {
  const inState = state === undefined ? '' : ` AND state = '${state}'`;
  return `SELECT \`key\`, abandoned + 0 FROM ${quoted} WHERE \`key\` IN (${literals(keys)}) AND owner = ${literal(owner)}${inState}`;
}

/** The columns that a statement writes. */
export interface Written {
  readonly owner: string;
  readonly state: State;
  readonly expires: string | number | bigint;
}

/**
 * Inserts, or overwrites where `condition` is true. Each assignment sees the earlier ones, and the condition must still
 * be true after them. So `open` never overwrites, and `expires_at` comes last. Only recorded effects remove letters.
 */
export function upsert(
  { quoted }: MysqlTable,
  keys: readonly string[],
  { owner, state, expires }: Written & { readonly state: 'lease' | 'done' },
  condition: string,
): string {
  const rows = keys.map((key) => `(${literal(key)}, ${literal(owner)}, '${state}', ${expires})`).join(', ');
  const set = (column: string, value: unknown) => `${column} = IF(${condition}, ${value}, ${column})`;
  const first = state === 'lease' ? set('abandoned', `state = 'lease'`) : set('letter', 'NULL');
  return `INSERT INTO ${quoted} ${COLUMNS} VALUES ${rows} ON DUPLICATE KEY UPDATE ${first},
    ${set('owner', literal(owner))}, ${set('state', `'${state}'`)}, ${set('expires_at', expires)}`;
}

export function isolationVariable({ isMariadb }: MysqlTable): string {
  return isMariadb ? 'tx_isolation' : 'transaction_isolation';
}

/** Ends a SELECT that must not wait for the rows of other transactions. */
export function unlessLocked({ isMariadb, skipsLocked }: MysqlTable): string {
  if (!skipsLocked) return '';
  return isMariadb ? 'LOCK IN SHARE MODE SKIP LOCKED' : 'FOR SHARE SKIP LOCKED';
}
