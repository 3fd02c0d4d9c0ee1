import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { hasPostgres, needsPostgres } from '../servers/postgres.js';

describe.skipIf(!hasPostgres || !hasAnvil)(`examples/erc20-ledger${needsPostgres}${needsAnvil}`, () => {
  it('counts each final transfer once, over losses, repeats, re-orgs and killed processes', {
    timeout: 300_000,
  }, async () => {
    const { DATABASE_URL, ...env } = process.env;
    const args = ['--import', 'tsx', 'examples/run.ts', 'erc20-ledger'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' },
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error) => error);
    // The whole output, with the seed, is in the error.
    expect(stdout).toMatch(/a re-org removed [1-9]/);
    expect(stdout).toMatch(/a re-org put back [1-9]/);
    for (const victim of ['receiver', 'worker', 'Postgres']) expect(stdout).toContain(`killed the ${victim}`);
    expect(stdout).toContain('Every balance equals the chain.');
  });
});
