// The keys of a server with their expiry, and the commands that the model knows.
import { RedisError, type Reply, Status, unknown } from './values.js';

interface Entry {
  /** A list stands for any type but strings. */
  readonly value: string | readonly string[];
  /** The last millisecond in which the key exists. */
  expiresAt: number | undefined;
}

export type Keyspace = Map<string, Entry>;

const OK = new Status('OK');
const WRONG_TYPE = new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value');
const NOT_AN_INTEGER = new RedisError('ERR value is not an integer or out of range');
const SYNTAX = new RedisError('ERR syntax error');

interface Command {
  /** How many arguments it takes. */
  readonly least: number;
  readonly most: number;
  run(keys: Keyspace, args: readonly string[], now: number): Reply;
}

/** The entry of a key that exists. A key exists in the millisecond at which it expires, and no longer. */
function entryOf(keys: Keyspace, key: string, now: number): Entry | undefined {
  const entry = keys.get(key);
  if (entry?.expiresAt === undefined || now <= entry.expiresAt) return entry;
  keys.delete(key);
  return undefined;
}

function integer(text: string): number | undefined {
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return /^-?\d{16,}$/.test(text) ? unknown(`the number ${text}`) : undefined;
}

function set(keys: Keyspace, [key = '', value = '', ...options]: readonly string[], now: number): Reply {
  let onlyNew = false;
  let keeps = false;
  let ms: number | undefined;
  for (let at = 0; at < options.length; at++) {
    const option = String(options[at]).toLowerCase();
    if (option === 'nx') onlyNew = true;
    else if (option === 'keepttl' && ms === undefined) keeps = true;
    else if (option === 'px' && !keeps && ms === undefined && at + 1 < options.length) {
      ms = integer(String(options[++at]));
      if (ms === undefined) return NOT_AN_INTEGER;
    } else if (/^(ex|xx|get|exat|pxat)$/.test(option)) unknown(`SET … ${option}`);
    else return SYNTAX;
  }
  if (ms !== undefined && ms <= 0) return new RedisError("ERR invalid expire time in 'set' command");
  const before = entryOf(keys, key, now);
  if (onlyNew && before) return null;
  const kept = keeps ? before?.expiresAt : undefined;
  keys.set(key, { value, expiresAt: ms === undefined ? kept : now + ms });
  return OK;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  ping: { least: 0, most: 0, run: () => new Status('PONG') },
  set: { least: 2, most: 99, run: set },
  get: {
    least: 1,
    most: 1,
    run(keys, [key = ''], now) {
      const entry = entryOf(keys, key, now);
      if (entry === undefined) return null;
      return typeof entry.value === 'string' ? entry.value : WRONG_TYPE;
    },
  },
  pexpire: {
    least: 2,
    most: 2,
    run(keys, [key = '', text = ''], now) {
      const ms = integer(text);
      if (ms === undefined) return NOT_AN_INTEGER;
      const entry = entryOf(keys, key, now);
      if (entry === undefined) return 0;
      if (ms <= 0) keys.delete(key);
      else entry.expiresAt = now + ms;
      return 1;
    },
  },
  pexpiretime: {
    least: 1,
    most: 1,
    run: (keys, [key = ''], now) => {
      const entry = entryOf(keys, key, now);
      return entry === undefined ? -2 : (entry.expiresAt ?? -1);
    },
  },
  del: {
    least: 1,
    most: 99,
    run(keys, names, now) {
      let count = 0;
      for (const name of names) if (entryOf(keys, name, now) && keys.delete(name)) count++;
      return count;
    },
  },
  rpush: {
    least: 2,
    most: 99,
    run(keys, [key = '', ...items], now) {
      const { value = [], expiresAt } = entryOf(keys, key, now) ?? {};
      if (typeof value === 'string') return WRONG_TYPE;
      keys.set(key, { value: [...value, ...items], expiresAt });
      return value.length + items.length;
    },
  },
};

/** Runs a command by its name in lower case. */
export function runCommand(keys: Keyspace, name: string, args: readonly string[], now: number): Reply {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return unknown(`the command ${name.toUpperCase()}`);
  if (args.length < command.least || args.length > command.most) {
    return new RedisError(`ERR wrong number of arguments for '${name}' command`);
  }
  return command.run(keys, args, now);
}
