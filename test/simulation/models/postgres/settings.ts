import { PostgresError } from './errors.js';

export const DEFAULT_PATH = '"$user", public';

/** What every session begins with. */
const DEFAULTS: Readonly<Record<string, string>> = {
  application_name: '',
  client_min_messages: 'notice',
  deadlock_timeout: '1s',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  idle_in_transaction_session_timeout: '0',
  lock_timeout: '0',
  role: 'none',
  row_security: 'on',
  search_path: DEFAULT_PATH,
  session_replication_role: 'origin',
  statement_timeout: '0',
  synchronous_commit: 'on',
  timezone: 'Etc/UTC',
  transaction_timeout: '0',
};

export function defaultsOf(version: number): ReadonlyMap<string, string> {
  const defaults = new Map(Object.entries(DEFAULTS));
  if (version < 17) defaults.delete('transaction_timeout');
  return defaults;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;
const LONGEST = 2 ** 31 - 1;

export const isTime = (name: string) => name.endsWith('_timeout');

/** The value of a setting as the server shows it. */
export function shown(name: string, value: string): string {
  if (!isTime(name)) return value;
  const ms = millisecondsOf(name, value);
  const unit = UNITS.find(([, size]) => ms % size === 0);
  return ms === 0 || !unit ? String(ms) : `${ms / unit[1]}${unit[0]}`;
}

const times = new Map<string, number>();

/** A time setting in ms; 0 is none. */
export function millisecondsOf(name: string, value: string): number {
  const known = times.get(value);
  if (known !== undefined) return known;
  const [, amount, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)?\s*$/.exec(value) ?? [];
  const size = UNITS.find(([each]) => each === unit)?.[1];
  const ms = Math.round(Number(amount) * (size ?? 0));
  if (amount === undefined || size === undefined || ms > LONGEST) {
    throw new PostgresError('22023', `invalid value for parameter "${name}": "${value}"`);
  }
  times.set(value, ms);
  return ms;
}
