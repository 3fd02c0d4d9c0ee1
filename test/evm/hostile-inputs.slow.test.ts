import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/index.js';
import { fc } from '../fixtures/property.js';
import { anyType } from './arbitrary-types.js';
import type { EventAbi } from './encode.js';
import { isInRange } from './expected.js';
import { single } from './hostile-event.js';
import { outcome } from './refusal.js';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('inputs without a log', { timeout: 60_000 }, () => {
  it('never give a value that is out of the range of its type', () => {
    const values = fc.oneof(
      fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
      fc.json({ maxDepth: 3 }),
      fc.bigInt().map(String),
      fc.constantFrom('0x', '1', '[1]', '[]', '{}', 'true', ADDRESS),
    );
    let read = 0;
    fc.assert(
      fc.property(anyType, values, (type, value) => {
        const { event, abi } = single(type, value as JsonValue);
        const { decoded } = outcome(event, abi);
        if (decoded && ++read) expect(isInRange(abi[0] as unknown as EventAbi, decoded.args)).toBe(true);
      }),
      { numRuns: 800 },
    );
    expect(read).toBeGreaterThan(10);
  });
});
