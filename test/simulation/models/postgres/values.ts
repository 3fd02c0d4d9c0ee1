import { PostgresError, UnknownToModel } from './errors.js';

/**
 * A value of a column or an expression: text as string; int and oid as number; bigint, xid and xid8 as bigint. An untyped
 * literal is text that is read as the type it is compared with.
 */
export type Value = null | string | number | bigint | boolean | Timestamp | Interval | Relation | readonly Value[];
export type Row = Readonly<Record<string, Value>>;

export class Timestamp {
  /** Since the epoch, in whole microseconds. */
  readonly ms: number;
  constructor(ms: number) {
    this.ms = Math.floor(ms * 1000) / 1000;
  }
}

export class Interval {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** A regclass. */
export class Relation {
  readonly oid: number;
  readonly name: string;
  constructor(oid: number, name: string) {
    this.oid = oid;
    this.name = name;
  }
}

const UNITS: Readonly<Record<string, number>> = {
  millisecond: 1,
  ms: 1,
  second: 1000,
  sec: 1000,
  s: 1000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  h: 3_600_000,
  day: 86_400_000,
  d: 86_400_000,
};
const intervals = new Map<string, Interval>();

export function intervalOf(text: string): Interval {
  const known = intervals.get(text);
  if (known) return known;
  const [, amount, unit = ''] = /^\s*(-?\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*$/.exec(text === '' ? ' ' : text) ?? [];
  const size = UNITS[unit] ?? UNITS[`${unit}s`];
  if (amount === undefined || size === undefined) throw new UnknownToModel(`the interval '${text}'`);
  const interval = new Interval(Number(amount) * size);
  intervals.set(text, interval);
  return interval;
}

function unreadable(type: string, text: string): PostgresError {
  return new PostgresError('22P02', `invalid input syntax for type ${type}: "${text}"`);
}

function integer(value: Value): number {
  const number = typeof value === 'string' ? (/^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : Number.NaN) : value;
  if (number === null || typeof number === 'object') throw new UnknownToModel('a cast of that to integer');
  if (Number.isNaN(number)) throw unreadable('integer', String(value));
  const whole = Math.round(Number(number));
  if (Math.abs(whole) >= 2 ** 31) {
    const what =
      typeof value === 'string' ? `value "${value}" is out of range for type integer` : 'integer out of range';
    throw new PostgresError('22003', what);
  }
  return whole;
}

function bigint(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.round(value));
  if (typeof value !== 'string') throw new UnknownToModel('a cast of that to bigint');
  if (!/^\s*[+-]?\d+\s*$/.test(value)) throw unreadable('bigint', value);
  return BigInt(value.trim());
}

const TRUE = /^\s*(t|true|yes|on|1)\s*$/i;
const FALSE = /^\s*(f|false|no|off|0)\s*$/i;

function truth(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'string') throw new UnknownToModel('a cast of that to boolean');
  if (TRUE.test(value)) return true;
  if (FALSE.test(value)) return false;
  throw unreadable('boolean', value);
}

export function textOf(value: Value): string {
  if (value instanceof Timestamp && value.ms === Infinity) return 'infinity';
  if (value instanceof Timestamp) return new Date(value.ms).toISOString().replace('T', ' ').replace('Z', '+00');
  if (value instanceof Relation) return value.name;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'object') throw new UnknownToModel('how to show that as text');
  return String(value);
}

const TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d)$/;

function timestamp(value: Value): Timestamp {
  if (value instanceof Timestamp) return value;
  if (value === 'infinity') return new Timestamp(Number.POSITIVE_INFINITY);
  if (typeof value !== 'string' || !TIME.test(value)) throw new UnknownToModel(`the timestamp ${String(value)}`);
  return new Timestamp(Date.parse(value.replace(/([+-]\d\d)$/, '$1:00')));
}

/** The types by all their names. A cast to regclass needs the catalog, so that it is not among them. */
const CASTS: Readonly<Record<string, (value: Value) => Value>> = {
  int: integer,
  int4: integer,
  integer,
  smallint: integer,
  oid: (value) => (value instanceof Relation ? value.oid : integer(value)),
  bigint,
  int8: bigint,
  xid: (value) => BigInt.asUintN(32, bigint(value)),
  xid8: bigint,
  bool: truth,
  boolean: truth,
  // `'t'::text` stays; a boolean becomes `true`.
  text: (value) => (typeof value === 'boolean' ? String(value) : textOf(value)),
  varchar: (value) => (typeof value === 'boolean' ? String(value) : textOf(value)),
  timestamptz: timestamp,
  interval: (value) => (value instanceof Interval ? value : intervalOf(textOf(value))),
};

export const isType = (name: string) => Object.hasOwn(CASTS, name);

export function cast(value: Value, type: string): Value {
  const to = CASTS[type];
  if (!to) throw new UnknownToModel(`the type ${type}`);
  return value === null ? null : to(value);
}

/** Negative, 0 or positive; null if one of them is null. */
export function compare(left: Value, right: Value): number | null {
  if (left === null || right === null) return null;
  let a: Value = left;
  let b: Value = right;
  if (typeof a === 'string' && typeof b !== 'string') a = like(a, b);
  else if (typeof b === 'string' && typeof a !== 'string') b = like(b, a);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.ms === b.ms ? 0 : a.ms - b.ms;
  if (a instanceof Interval && b instanceof Interval) return a.ms - b.ms;
  if (a instanceof Relation) a = a.oid;
  if (b instanceof Relation) b = b.oid;
  const isSame = typeof a === typeof b || (isNumeric(a) && isNumeric(b));
  if (!isSame || typeof a === 'object' || typeof b === 'object') {
    throw new UnknownToModel(`how to compare ${typeof a} with ${typeof b}`);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

const isNumeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** Reads an untyped literal as the type of what it is compared with. */
function like(text: string, other: Value): Value {
  if (typeof other === 'number') return integer(text);
  if (typeof other === 'bigint') return bigint(text);
  if (typeof other === 'boolean') return truth(text);
  if (other instanceof Timestamp) return timestamp(text);
  if (other instanceof Interval) return intervalOf(text);
  throw new UnknownToModel(`how to compare a text with ${typeof other}`);
}

/** As pg gives a value to its user. */
function toClient(value: Value): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Timestamp) return value.ms === Infinity ? Infinity : new Date(value.ms);
  if (value instanceof Relation) return value.name;
  if (value instanceof Interval) throw new UnknownToModel('how pg shows an interval');
  return Array.isArray(value) ? value.map(toClient) : value;
}

/** Follows the name of a column that has the name of another one before it. */
export const AGAIN = '\u0000';

/** As pg gives a row to its user: of columns with the same name, the last. */
export function clientRow(row: Row): object {
  const shown: Record<string, unknown> = {};
  for (const name in row) {
    const end = name.indexOf(AGAIN);
    shown[end < 0 ? name : name.slice(0, end)] = toClient(row[name] ?? null);
  }
  return shown;
}
