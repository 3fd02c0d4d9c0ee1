import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { startProgram } from './example.js';

const program = ['--import', 'tsx', 'examples/demo.ts'];
const STEPS = [
  ...['chain', 'service', 'receiver', 'registered', 'transfer', 'duplicate', 'wrong signature', 'old timestamp'],
  ...['failing handler', 'forged', 'result'],
];

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  TSX_TSCONFIG_PATH: 'examples/tsconfig.json',
  ...more,
});
/** No anvil is there to be found. */
const without = environment({ ANVIL: '/nowhere/anvil' });

async function run(env: NodeJS.ProcessEnv): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { env });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

function expectSteps(lines: readonly string[]): void {
  expect(lines.slice(0, -1).map((line) => line.slice(0, 19).trim())).toEqual(STEPS.map((step) => `ok  ${step}`));
  expect(lines.at(-1)).toBe('All is as it should be.');
}

describe.skipIf(!hasAnvil)(`npm run demo, with a chain${needsAnvil}`, () => {
  it('takes transfers from the chain to the handler, once each', { timeout: 60_000 }, async () => {
    const lines = await run(environment());
    expectSteps(lines);
    expect(lines[0]).toContain('on anvil at http://127.0.0.1:');
  });
});

describe('npm run demo, without a chain', () => {
  it('does the same over one that was recorded, and says so', { timeout: 60_000 }, async () => {
    const lines = await run(without);
    expectSteps(lines);
    expect(lines[0]).toContain('recorded');
  });

  it('with --watch serves the page until it is told to end', { timeout: 60_000 }, async () => {
    const { child, lines } = startProgram('demo.ts', without, '--watch');
    const closed = once(child, 'close');
    let address: URL | undefined;
    for await (const line of lines) {
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(line) ?? [];
      if (found === undefined) continue;
      address = new URL(found);
      const token = new URLSearchParams(address.hash.slice(1)).get('token');
      const headers = { Authorization: `Bearer ${token}` };
      const page = await fetch(new URL('/', address));
      expect(await page.text()).toContain('<!doctype html>');
      const answer = await fetch(new URL('/api/deliveries', address), { headers });
      const { deliveries } = (await answer.json()) as { deliveries: unknown[] };
      expect(deliveries.length).toBeGreaterThanOrEqual(5);
      child.kill('SIGTERM');
    }
    expect(address).toBeDefined();
    expect(await closed).toEqual([0, null]);
  });
});
