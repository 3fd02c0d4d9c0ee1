import type { LeaseCall } from './lease-claims.js';

/** What a statement of a lease store asks for. */
export interface SqlCall {
  readonly call: LeaseCall | 'status';
  readonly keys: readonly string[];
  /** Absent from `status`. */
  readonly owner: string;
}

const UUID = /'([0-9a-f]{8}-[0-9a-f-]{27})'/;
const CALLS: readonly (readonly [RegExp, SqlCall['call']])[] = [
  [/^\s*SELECT key, (CASE WHEN done|'duplicate')/, 'status'],
  [/^\s*INSERT .* SELECT (key|value), \S+, (false|0),/s, 'claim'],
  [/^\s*INSERT .* SELECT (key|value), \S+, (true|1),/s, 'complete'],
  [/^\s*DELETE .* WHERE key IN \((?!SELECT key)/s, 'release'],
];
/** Literals of keys: an array of Postgres or a list, or a JSON array. */
const KEYS = /ARRAY\[([^\]]*)\]|key IN \(('[^)]*)\)|json_each\('\[([^\]]*)\]'\)/;

/** Reads a statement of the store; undefined for one of its others. `values` are those of its parameters. */
export function callOf(text: string, values: readonly string[] = []): SqlCall | undefined {
  const call = CALLS.find(([pattern]) => pattern.test(text))?.[1];
  if (call === undefined) return undefined;
  const [bound, owner = UUID.exec(text)?.[1] ?? ''] = values;
  if (bound !== undefined) return { call, keys: JSON.parse(bound), owner };
  const [, array, list, json] = KEYS.exec(text) ?? [];
  const keys = array ?? list ?? json;
  if (keys === undefined) throw new Error(`The oracle does not know the keys of: ${text}`);
  return { call, keys: keys.split(/,\s*/).map((quoted) => quoted.slice(1, -1)), owner };
}
