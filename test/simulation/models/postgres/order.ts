import type { Order } from './query.js';
import type { Scope } from './run.js';
import { compare } from './values.js';

/** Nulls come last, or first where the order is descending. */
export function sorted(scopes: readonly Scope[], orderBy: readonly Order[]): Scope[] {
  return [...scopes].sort((a, b) => {
    for (const { by, isDescending } of orderBy) {
      const [left, right] = [by.evaluate(a), by.evaluate(b)];
      const order = compare(left, right) ?? Number(left === null) - Number(right === null);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
}
