import { mayHoldFraction, parseExactJson } from '../events/exact-json.js';
import { mayHoldRounded } from '../events/field-rules.js';
import type { JsonValue } from '../events/types.js';

/**
 * The array or object that an input's value is, or that its JSON text holds; undefined when it is neither. A number
 * that JSON.parse would round comes as its digits.
 */
export function structureOf(wire: JsonValue): object | undefined {
  let value: unknown = wire;
  if (typeof wire === 'string') {
    try {
      value = JSON.parse(wire);
    } catch {
      return undefined;
    }
    if (mayHoldRounded(value) || mayHoldFraction(wire)) value = parseExactJson(wire);
  }
  return typeof value === 'object' && value !== null ? value : undefined;
}
