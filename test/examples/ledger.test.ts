import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { hasPostgres, needsPostgres } from '../servers/postgres.js';

describe.skipIf(!hasPostgres || !hasAnvil)(`examples/erc20-ledger${needsPostgres}${needsAnvil}`, () => {
  it('ends with the balances of the chain, over repeats, a killed receiver and re-orgs', {
    timeout: 60_000,
  }, async () => {
    const { DATABASE_URL, ...env } = process.env;
    const args = ['--import', 'tsx', 'examples/run.ts', 'erc20-ledger'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' },
    });
    expect(stdout).toMatch(/re-orgs that took [1-9]/);
    expect(stdout).toContain('killed the receiver');
    expect(stdout).toContain('Every balance equals the chain.');
  });
});
