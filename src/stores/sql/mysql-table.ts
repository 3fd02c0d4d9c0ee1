import { literal, literals, type State } from './table.js';

/** Epoch milliseconds on the server's clock, in any time zone of the session. */
export const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000`;
export const COLUMNS = '(`key`, owner, state, expires_at)';

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

export function earlier(ms: number): string {
  return `${NOW} - ${Math.ceil(ms)}`;
}

/** Of rows that anybody may have. */
export const IS_OVER = `expires_at <= ${NOW} AND state <> 'open'`;
/** Of dead letters that nobody retries. */
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

/** What a statement writes to rows. */
export interface Written {
  readonly owner: string;
  readonly state: State;
  readonly expires: string | number | bigint;
}

/**
 * Inserts, or overwrites where `condition` is true. Each assignment sees those before it, after which the condition must
 * still be true: so nothing is overwritten with `open`, and `expires_at` comes last. Only effects remove letters.
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
