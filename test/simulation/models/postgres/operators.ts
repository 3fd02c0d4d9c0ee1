import { PostgresError, UnknownToModel } from './errors.js';
import type { Expression, Scope } from './run.js';
import { compare, Interval, Timestamp, textOf, type Value } from './values.js';

const NAME = '?column?';

export function and(left: Expression, right: Expression): Expression {
  return {
    name: NAME,
    evaluate(scope) {
      const a = left.evaluate(scope);
      if (a === false) return false;
      const b = right.evaluate(scope);
      return b === false ? false : a === null || b === null ? null : true;
    },
  };
}

export function or(left: Expression, right: Expression): Expression {
  return {
    name: NAME,
    evaluate(scope) {
      const a = left.evaluate(scope);
      if (a === true) return true;
      const b = right.evaluate(scope);
      return b === true ? true : a === null || b === null ? null : false;
    },
  };
}

export function not(inner: Expression): Expression {
  return {
    name: NAME,
    evaluate(scope) {
      const value = inner.evaluate(scope);
      return value === null ? null : value === false;
    },
  };
}

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** `is` compares nulls as values. */
export function comparison(sign: string, left: Expression, right: Expression): Expression {
  const holds = HOLDS[sign];
  return {
    name: NAME,
    evaluate(scope) {
      const [a, b] = [left.evaluate(scope), right.evaluate(scope)];
      const order = compare(a, b);
      if (!holds) return order === null ? a === b : order === 0;
      return order === null ? null : holds(order);
    },
  };
}

export function isOneOf(left: Expression, all: (scope: Scope) => readonly Value[]): Expression {
  return {
    name: NAME,
    evaluate(scope) {
      const value = left.evaluate(scope);
      let isUnknown = false;
      for (const each of all(scope)) {
        const order = compare(value, each);
        if (order === 0) return true;
        isUnknown ||= order === null;
      }
      return isUnknown ? null : false;
    },
  };
}

export function arithmetic(sign: string, left: Expression, right: Expression): Expression {
  return {
    name: NAME,
    evaluate(scope) {
      const [a, b] = [left.evaluate(scope), right.evaluate(scope)];
      return a === null || b === null ? null : calculated(sign, a, b);
    },
  };
}

function calculated(sign: string, a: Value, b: Value): Value {
  if (sign === '||') return textOf(a) + textOf(b);
  if (b instanceof Interval) {
    const ms = sign === '-' ? -b.ms : b.ms;
    if ((sign === '+' || sign === '-') && a instanceof Timestamp) return new Timestamp(a.ms + ms);
    if ((sign === '+' || sign === '-') && a instanceof Interval) return new Interval(a.ms + ms);
  }
  if (sign === '*' && a instanceof Interval && typeof b === 'number') return new Interval(a.ms * b);
  if (sign === '*' && b instanceof Interval && typeof a === 'number') return new Interval(b.ms * a);
  if (sign === '-' && a instanceof Timestamp && b instanceof Timestamp) return new Interval(a.ms - b.ms);
  if (typeof a === 'number' && typeof b === 'number') return small(ofNumbers(sign, a, b));
  if (typeof a === 'bigint' || typeof b === 'bigint') return ofBigints(sign, BigInt(Number(a)), BigInt(Number(b)));
  throw new UnknownToModel(`${typeof a} ${sign} ${typeof b}`);
}

const ofNumbers = (sign: string, a: number, b: number): number => {
  if ((sign === '/' || sign === '%') && b === 0) throw new PostgresError('22012', 'division by zero');
  if (sign === '+') return a + b;
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  return sign === '/' ? Math.trunc(a / b) : a % b;
};

const ofBigints = (sign: string, a: bigint, b: bigint): bigint => {
  if ((sign === '/' || sign === '%') && b === 0n) throw new PostgresError('22012', 'division by zero');
  if (sign === '+') return a + b;
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  return sign === '/' ? a / b : a % b;
};

function small(value: number): number {
  if (Math.abs(value) >= 2 ** 31) throw new PostgresError('22003', 'integer out of range');
  return value;
}
