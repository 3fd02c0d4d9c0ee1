import { optionError } from '../../internal/check-options.js';
import type { Dialect } from './database.js';

export type Table = ReturnType<typeof tableOf>;

// The index has a longer name, and Postgres cuts names after 63 characters.
const PART = /^[A-Za-z_]\w{0,47}$/;

/**
 * Quotes the names of the store's tables for a dialect. Throws ConfigError `ERR_WEBHOOK_CONFIG` unless the name is
 * `table` or `schema.table`, of letters, digits and `_`.
 */
export function tableOf(name: string, dialect: Dialect) {
  const parts = typeof name === 'string' ? name.split('.') : [];
  const most = dialect === 'sqlite' ? 1 : 2;
  if (parts.length < 1 || parts.length > most || !parts.every((part) => PART.test(part))) {
    const takes = 'a name of at most 48 letters, digits and _';
    throw optionError('table', most === 2 ? `${takes}, or schema.table` : takes, name);
  }
  const quote = dialect === 'mysql' ? '`' : '"';
  const quoted = parts.map((part) => quote + part + quote).join('.');
  return {
    /** The name as the user wrote it. */
    name,
    schema: parts.length === 2 ? parts[0] : undefined,
    quoted,
    index: `${quote}${parts.at(-1)}_expires_at_idx${quote}`,
    /** The table of cursors. */
    cursors: `${quoted.slice(0, -1)}_cursors${quote}`,
  };
}

/**
 * A value as a literal. A statement without parameters takes one round trip in every client, and needs no prepared
 * statement, which a connection pooler could lose. `storableKey` limits keys to these characters; other values throw.
 */
export function literal(value: string): string {
  if (!/^[\w.:@/+-]{1,200}$/.test(value)) throw new TypeError('The value cannot be put into a statement.');
  return `'${value}'`;
}

export function literals(values: readonly string[]): string {
  return values.map(literal).join(', ');
}

/** Texts that contain no escape sequence of a server and no placeholder of a client. */
const PLAIN = /^[\w .:@/+,{}"[\]-]*$/;

/** A text as a literal: as it is, or `decoded` from hex digits. */
export function textLiteral(text: string, decoded: (hex: string) => string): string {
  return PLAIN.test(text) ? `'${text}'` : decoded(hexOf(text));
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** UTF-8 in hex digits, which contain no placeholder of a client and no escape of a server. */
export function hexOf(text: string): string {
  let hex = '';
  for (const byte of new TextEncoder().encode(text)) hex += DIGITS[byte];
  return hex;
}

export function textOf(hex: string): string {
  return new TextDecoder().decode(Uint8Array.from({ length: hex.length / 2 }, (_, at) => digitsAt(hex, 2 * at)));
}

function digitsAt(hex: string, at: number): number {
  return Number.parseInt(hex.slice(at, at + 2), 16);
}

/**
 * The state of a row. `lease`: held for the length of a lease. `open`: held by a transaction; once committed, it does
 * not expire, because the effects of its transaction are unknown. `applied`, `reverted`: a log, kept until its block is
 * final. `failed`: free, kept to count failures. `dead`: a dead letter, which does not expire.
 */
export type State = 'lease' | 'open' | 'done' | 'applied' | 'reverted' | 'failed' | 'dead';

/** The expiry of dead letters, by which an index finds them: in the year 9999, which every client reads as a date. */
export const NEVER_MS = Date.UTC(9999, 11, 31);

/** The expiry of logs that are not final. */
export const LOG_MS = Date.UTC(9999, 11, 30);

/** An expression for the `Status` of a row that is not free, in all dialects. */
export function statusOf(isIdle: string): string {
  return `CASE state WHEN 'done' THEN 'duplicate' WHEN 'applied' THEN 'duplicate' WHEN 'reverted' THEN 'duplicate' WHEN 'open' THEN 'unknown' WHEN 'dead' THEN
    CASE WHEN ${isIdle} THEN 'dead' ELSE 'in-progress' END ELSE 'in-progress' END`;
}

/** Maximum number of keys in one statement. */
const MOST_KEYS = 1000;

/** Splits keys into parts that fit in one statement. */
export function chunksOf(keys: readonly string[], most = MOST_KEYS): (readonly string[])[] {
  return Array.from({ length: Math.ceil(keys.length / most) }, (_, at) => keys.slice(at * most, (at + 1) * most));
}
