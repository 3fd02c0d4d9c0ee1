import { describe, expect, it } from 'vitest';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { hasPostgres, needsPostgres } from '../servers/postgres.js';
import { runExample } from './example.js';

describe.skipIf(!hasPostgres || !hasAnvil)(`examples/erc20-ledger${needsPostgres}${needsAnvil}`, () => {
  it('counts each final transfer once, over losses, repeats, re-orgs and killed processes', {
    timeout: 300_000,
  }, async () => {
    const { stdout } = await runExample('erc20-ledger').catch((error) => error);
    // The whole output, with the seed, is in the error.
    expect(stdout).toMatch(/a re-org removed [1-9]/);
    expect(stdout).toMatch(/a re-org put back [1-9]/);
    for (const victim of ['receiver', 'worker', 'Postgres']) expect(stdout).toContain(`killed the ${victim}`);
    expect(stdout).toContain('Every balance equals the chain.');
  });
});
