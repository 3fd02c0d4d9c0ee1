import { createHash } from 'node:crypto';
import { PostgresError, UnknownToModel } from './errors.js';
import { Restart, type Run } from './run.js';
import { cast, compare, Relation, Timestamp, textOf, type Value } from './values.js';

type Apply = (args: readonly Value[], run: Run) => Value;

/** Functions whose answer is null if one of their arguments is. */
const STRICT: Readonly<Record<string, Apply>> = {
  now: (_, { transaction }) => new Timestamp(transaction.startedAt),
  transaction_timestamp: (_, { transaction }) => new Timestamp(transaction.startedAt),
  statement_timestamp: (_, { arrivedAt }) => new Timestamp(arrivedAt),
  clock_timestamp: (_, { server }) => new Timestamp(server.now()),
  txid_current: (_, { server, transaction }) => BigInt(server.idOf(transaction)),
  pg_current_xact_id: (_, { server, transaction }) => BigInt(server.idOf(transaction)),
  txid_current_if_assigned: (_, { transaction: { id } }) => (id === undefined ? null : BigInt(id)),
  pg_current_xact_id_if_assigned: (_, { transaction: { id } }) => (id === undefined ? null : BigInt(id)),
  pg_try_advisory_xact_lock: ([key = null], { server, transaction }) =>
    server.lockAdvisory(cast(key, 'bigint') as bigint, transaction) === undefined,
  pg_advisory_xact_lock([key = null], { server, transaction }) {
    const holder = server.lockAdvisory(cast(key, 'bigint') as bigint, transaction);
    if (holder) throw new Restart({ holder });
    return '';
  },
  // The model has no locks of sessions.
  pg_advisory_unlock_all: () => '',
  hashtextextended: ([text = null, seed = null], { server }) => server.hashOf(textOf(text), seed),
  hashtext: ([text = null], { server }) => Number(BigInt.asIntN(31, server.hashOf(textOf(text), null))),
  to_regclass: ([name = null], run) => relation(textOf(name), run) ?? null,
  pg_backend_pid: (_, { session }) => session.pid,
  pg_terminate_backend: ([pid = null], { server, session }) => server.signal(Number(pid), 'terminate', session.pid),
  pg_cancel_backend: ([pid = null], { server, session }) => server.signal(Number(pid), 'cancel', session.pid),
  pg_sleep([seconds = null], run) {
    if (run.sleeps++ < run.slept) return '';
    throw new Restart({ sleepMs: Number(seconds) * 1000 });
  },
  pg_my_temp_schema: () => 0,
  md5: ([text = null]) => md5(textOf(text)),
  quote_literal: ([text = null]) => `'${textOf(text).replaceAll("'", "''")}'`,
  lower: ([text = null]) => textOf(text).toLowerCase(),
  upper: ([text = null]) => textOf(text).toUpperCase(),
  length: ([text = null]) => [...textOf(text)].length,
};

/** Functions that take nulls. */
const LENIENT: Readonly<Record<string, Apply>> = {
  set_config([name = null, value = null, isLocal = null], { session }) {
    if (name === null || isLocal === null) throw new UnknownToModel('set_config with null');
    return session.set(textOf(name), value === null ? '' : textOf(value), isLocal === true);
  },
  current_setting([name = null, missingOk = false], { session }) {
    if (name === null) return null;
    const value = session.setting(textOf(name));
    if (value !== undefined || missingOk === true) return value ?? null;
    throw new PostgresError('42704', `unrecognized configuration parameter "${textOf(name)}"`);
  },
  concat: (args) => args.map((each) => (each === null ? '' : textOf(each))).join(''),
  concat_ws: ([separator = null, ...args]) =>
    separator === null
      ? null
      : args
          .filter((each) => each !== null)
          .map(textOf)
          .join(textOf(separator)),
  coalesce: (args) => args.find((each) => each !== null) ?? null,
  greatest: (args) => extreme(args, 1),
  least: (args) => extreme(args, -1),
};

const NO_NULL = (args: readonly Value[]) => {
  for (const each of args) if (each === null) return false;
  return true;
};

export function functionOf(name: string): Apply {
  const lenient = Object.hasOwn(LENIENT, name) ? LENIENT[name] : undefined;
  if (lenient) return lenient;
  const strict = Object.hasOwn(STRICT, name) ? STRICT[name] : undefined;
  if (!strict) throw new UnknownToModel(`the function ${name}`);
  return (args, run) => (NO_NULL(args) ? strict(args, run) : null);
}

export const AGGREGATES: Readonly<Record<string, (values: readonly Value[], separator: string) => Value>> = {
  count: (values) => BigInt(values.length),
  max: (values) => extreme(values, 1),
  min: (values) => extreme(values, -1),
  sum: (values) => (values.length === 0 ? null : values.reduce<bigint>((sum, each) => sum + BigInt(Number(each)), 0n)),
  string_agg: (values, separator) => (values.length === 0 ? null : values.map(textOf).join(separator)),
  bool_or: (values) => (values.length === 0 ? null : values.includes(true)),
  bool_and: (values) => (values.length === 0 ? null : !values.includes(false)),
};

function extreme(values: readonly Value[], sign: number): Value {
  let found: Value = null;
  for (const each of values) {
    if (each !== null && (found === null || Math.sign(compare(each, found) ?? 0) === sign)) found = each;
  }
  return found;
}

export function relation(name: string, { server, session }: Run): Relation | undefined {
  const table = server.resolve(name, session.setting('search_path') ?? '');
  return table && new Relation(table.oid, name);
}

const digests = new Map<string, string>();

function md5(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = createHash('md5').update(text).digest('hex');
  digests.set(text, digest);
  return digest;
}
