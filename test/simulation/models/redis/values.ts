// The values of replies and of Lua, and how Redis turns one into the other.

/** A status such as `OK`. */
export class Status {
  constructor(readonly text: string) {}
}

/** An error reply, with its code. */
export class RedisError {
  constructor(readonly message: string) {}
}

export type Reply = null | number | string | Status | RedisError | readonly Reply[];

export type LuaValue = undefined | boolean | number | string | LuaTable;

/** Ends a schedule: the model does not answer what it does not know. */
export function unknown(what: string): never {
  throw new Error(`The Redis model does not know ${what}.`);
}

/** A table of Lua that is a list, a record, or both. */
export class LuaTable {
  readonly items: LuaValue[];
  #fields: Map<string, LuaValue> | undefined;

  constructor(items: LuaValue[] = []) {
    this.items = items;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number') return this.items[key - 1];
    if (typeof key === 'string') return this.#fields?.get(key);
    return unknown(`an index of the type ${typeOf(key)}`);
  }

  set(key: LuaValue, value: LuaValue): void {
    if (typeof key === 'string') {
      this.#fields ??= new Map();
      this.#fields.set(key, value);
      return;
    }
    const { items } = this;
    if (typeof key !== 'number') unknown(`an index of the type ${typeOf(key)}`);
    if (value === undefined || !Number.isInteger(key) || key < 1 || key > items.length + 1) unknown('lists with holes');
    items[key - 1] = value;
  }
}

export function typeOf(value: LuaValue): string {
  if (value === undefined) return 'nil';
  return value instanceof LuaTable ? 'table' : typeof value;
}

/** Only nil and false are false: 0 and the empty string are true. */
export function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

/** What a script sees of a reply. */
export function toLua(reply: Reply): LuaValue {
  if (reply === null) return false;
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply instanceof Status) return withField('ok', reply.text);
  if (reply instanceof RedisError) return withField('err', reply.message);
  return new LuaTable(reply.map(toLua));
}

function withField(name: string, value: string): LuaTable {
  const table = new LuaTable();
  table.set(name, value);
  return table;
}

/** The reply for what a script returned. */
export function toReply(value: LuaValue): Reply {
  if (value === undefined || value === false) return null;
  if (value === true) return 1;
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string') return value;
  const error = value.get('err');
  if (typeof error === 'string') return new RedisError(error);
  const status = value.get('ok');
  if (typeof status === 'string') return new Status(status);
  return value.items.map(toReply);
}
