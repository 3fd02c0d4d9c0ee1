import { PostgresError, UnknownToModel } from './errors.js';
import { relation } from './functions.js';
import type { Select } from './query.js';
import type { Expression } from './run.js';
import { firstOf, rowsNow } from './select.js';
import { cast, type Value } from './values.js';

export function constant(value: Value, name = '?column?'): Expression {
  return { name, evaluate: () => value };
}

export function textLiteral(literal: number): Expression {
  return { name: '?column?', evaluate: ({ run }) => run.literals[literal] ?? null };
}

export function numberLiteral(literal: number): Expression {
  return {
    name: '?column?',
    evaluate({ run }) {
      const text = run.literals[literal] ?? '';
      const number = Number(text);
      return Number.isInteger(number) && Math.abs(number) >= 2 ** 31 ? BigInt(text) : number;
    },
  };
}

const INTERNAL: Readonly<Record<string, string>> = { int: 'int4', integer: 'int4', bigint: 'int8', boolean: 'bool' };

export function typed(value: Expression, type: string): Expression {
  const isWeak = value.name === '?column?' || value.isWeak === true;
  const name = isWeak ? (INTERNAL[type] ?? type) : value.name;
  if (type === 'regclass') {
    return {
      name,
      isWeak,
      evaluate(scope) {
        const text = value.evaluate(scope);
        if (text === null) return null;
        if (typeof text !== 'string') throw new UnknownToModel('a cast of a number to regclass');
        const found = relation(text, scope.run);
        if (!found) throw new PostgresError('42P01', `relation "${text.replaceAll('"', '')}" does not exist`);
        return found;
      },
    };
  }
  // The catalog has the names with them.
  if (type === 'regnamespace') return { name, isWeak, evaluate: (scope) => value.evaluate(scope) };
  return { name, isWeak, evaluate: (scope) => cast(value.evaluate(scope), type) };
}

export function scalar(query: Select): Expression {
  const [item] = query.items;
  return {
    name: item?.name ?? '?column?',
    evaluate(scope) {
      const rows = rowsNow(query, scope);
      if (rows.length > 1) {
        throw new PostgresError('21000', 'more than one row returned by a subquery used as an expression');
      }
      return rows[0] ? firstOf(rows[0]) : null;
    },
  };
}
