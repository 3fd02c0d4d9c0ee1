import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { ReconcileReport } from '../../../src/chain/index.js';
import { startNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import type { KillSettings } from './kill-child.js';

const program = fileURLToPath(new URL('kill-child.ts', import.meta.url));

/** Runs the program to its end: what it printed, or the signal that killed it. */
async function reconciled(settings: KillSettings) {
  const child = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [, signal] = await once(child, 'close');
  const result = output === '' ? undefined : (JSON.parse(output) as { report: ReconcileReport; keys: string[] });
  return { signal, result };
}

it('makes good each event once, wherever the process is killed', { timeout: 120_000 }, async () => {
  const node = await startNode();
  onTestFinished(() => node.stop());
  for (let value = 1; value <= 20; value += 2) node.mine({ logs: [transfer(value)] }, { logs: [transfer(value + 1)] });
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = { url: node.url, folder, count: 0 };
  for (const [at, count] of [
    ['handler', 0],
    ['handler', 7],
    ['before write', 0],
    ['after write', 0],
  ] as const) {
    expect([at, (await reconciled({ ...settings, at, count })).signal]).toEqual([at, 'SIGKILL']);
    node.mine({ logs: [transfer(100 + node.chain.length)] });
  }
  const { result } = await reconciled(settings);
  expect(result?.report).toMatchObject({ failed: 0, left: 0, to: node.chain.length - 1 });
  const expected = node.chain.flatMap(({ logs }) =>
    logs.map(({ blockHash, transactionHash, logIndex }) => `31337:${blockHash}:${transactionHash}:${Number(logIndex)}`),
  );
  expect(result?.keys).toEqual(expected);
});
