import { beforeAll, describe, expect, test } from 'vitest';
import { compile } from './instantiations-program.js';

const contract = { events: 60, functions: 100 };

/** What was measured with the compiler of package.json, with what the use takes without our types subtracted. */
const MEASURED = {
  handlers: 24_700,
  events: 21_600,
  calls: 22_700,
};

describe('the types of ./evm', () => {
  let without: number;

  beforeAll(() => {
    without = compile('none', contract).instantiations;
  }, 60_000);

  test.each([
    ['a typed handler for each of 60 events', 'handlers'],
    ['a switch over 60 decoded events', 'events'],
    ['a switch over 100 decoded calls', 'calls'],
  ] as const)('take few instantiations for %s', { timeout: 60_000 }, (title, use) => {
    const { instantiations, problems } = compile(use, contract);
    const ours = instantiations - without;
    console.log(`${title}: ${ours} instantiations, beside ${without} without`);
    expect(problems).toBe('');
    expect(ours).toBeGreaterThan(0);
    expect(ours).toBeLessThan(1.3 * MEASURED[use]);
  });

  test('walk over an ABI once, and not again for each handler', { timeout: 60_000 }, () => {
    const one = compile('handlers', contract).instantiations;
    const two = compile('handlers', { ...contract, functions: 200 }).instantiations;
    const perFunction = (two - one) / 100;
    console.log(`${perFunction} instantiations for a function more beside 60 handlers`);
    expect(perFunction).toBeLessThan(contract.events);
  });
});
