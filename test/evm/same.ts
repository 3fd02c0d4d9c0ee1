import { expect } from 'vitest';
import { type Emission, emitted } from './arbitrary.js';
import { significant } from './arbitrary-change.js';
import { plain, wireInputs } from './arbitrary-wire.js';
import { expectedArgs, isInRange } from './expected.js';
import { outcome } from './refusal.js';

/** The arguments with nothing left of integers but what a decimals conversion cannot change. */
function withoutScale(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return significant(BigInt(value));
  if (Array.isArray(value)) return value.map(withoutScale);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutScale(child)]));
}

/** Refused, or decoded to the values that the event was made of, up to a power of ten. */
export function expectSame(emission: Emission, data: string): void {
  const log = { ...emission.log, data };
  const inputs = wireInputs(emission.item, emission.values, { pick: plain });
  const { decoded } = outcome(emitted(emission, inputs, JSON.stringify(log)), emission.abi);
  if (!decoded) return;
  expect(isInRange(emission.item, decoded.args)).toBe(true);
  expect(withoutScale(decoded.args)).toEqual(withoutScale(expectedArgs(emission.item, emission.values)));
}
