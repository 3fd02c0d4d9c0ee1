import { chmod } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../../test/helpers.js';
import { startChain } from '../../src/cli/anvil/chain-source.js';
import { startAnvil } from '../../src/cli/anvil/start-anvil.js';
import { createOutput } from '../../src/cli/output.js';
import { createLocalService } from '../../src/service/index.js';
import { serve } from '../servers.js';
import { sink } from './sink.js';
import { scratch } from './tool.js';

const hash = `0x${'12'.repeat(32)}`;
const address = `0x${'5f'.repeat(20)}`;
const { signal } = new AbortController();

/** A program in the place of anvil: a script of the shell. */
async function program(script: string): Promise<string> {
  const file = await (await scratch())('anvil', `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o700);
  return file;
}

/** A node with one block, whose answers a test can replace. */
async function node(answers: Record<string, (call: number) => unknown> = {}) {
  const block = { number: '0x0', hash, parentHash: hash, timestamp: '0x1', transactions: [] };
  const fixed: Record<string, unknown> = {
    ...{ eth_accounts: [address, address], eth_sendTransaction: hash, eth_chainId: '0x7a69', eth_blockNumber: '0x0' },
    ...{ eth_getTransactionReceipt: { contractAddress: address }, eth_getBlockByNumber: block, eth_getLogs: [] },
    eth_call: `0x${'12'.padStart(64, '0')}`,
  };
  const calls: Record<string, number> = {};
  const resultOf = (method: string, call: number) => {
    const own = answers[method]?.(call);
    return own === undefined ? fixed[method] : own;
  };
  const url = await serve(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    calls[method] = (calls[method] ?? 0) + 1;
    const result = resultOf(method, calls[method] ?? 0);
    const failed = { error: { code: -32000, message: 'no' } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === 'fails' ? failed : { result }) }));
  });
  return { url, port: new URL(url).port, calls };
}

/** What `emulate --anvil` does for its chain, with that program. */
async function chain(anvil: string, interval = 0, ending = signal) {
  const { promise: noted, resolve } = deferred();
  const notes: string[] = [];
  const stderr = sink((text) => {
    notes.push(text);
    resolve();
  });
  const output = createOutput(stderr, stderr, { env: {}, json: false, name: 'tool' });
  const service = await createLocalService();
  onTestFinished(() => service.close());
  const wanted = { node: { anvil }, contracts: [], wallets: [], interval };
  const source = await startChain(wanted, service, { output, signal: ending });
  onTestFinished(() => source?.close());
  return { source, notes, noted };
}

describe('a program in place of anvil', () => {
  it.each([
    ['that exits silently', 'exit 3', 'anvil did not start.'],
    ['that prints why it exits', 'echo "no such option" >&2; exit 1', 'anvil did not start: no such option.'],
  ])('%s has not started', async (_, script, message) => {
    await expect(startAnvil(await program(script), signal)).rejects.toThrow(message);
  });

  it('that does not exist is an error that says how to install it', async () => {
    const none = await (await scratch())('none');
    await expect(startAnvil(none, signal)).rejects.toThrow(/npm install --save-dev @foundry-rs\/anvil, or Foundry/);
  });

  it('is stopped when the command was stopped before it started', async () => {
    const anvil = await program('exec sleep 600');
    await expect(startAnvil(anvil, AbortSignal.abort())).rejects.toThrow('anvil did not start.');
  });
});

describe('the chain of emulate', () => {
  const listening = (port: string) => program(`echo "Listening on 127.0.0.1:${port}"\nexec sleep 600`);

  it('waits until the sample token is mined', async () => {
    const { port, calls } = await node({ eth_getTransactionReceipt: (call) => (call < 3 ? null : undefined) });
    const { source } = await chain(await listening(port));
    expect(calls.eth_getTransactionReceipt).toBe(3);
    expect(source?.watched).toEqual([{ address, label: 'sampletoken', name: 'SampleToken' }]);
    expect(source?.contracts.get(address.toLowerCase())).toMatchObject({ decimals: 18 });
  });

  it('fails when the sample token was not deployed', async () => {
    const { port } = await node({ eth_getTransactionReceipt: () => ({ contractAddress: 7 }) });
    await expect(chain(await listening(port))).rejects.toThrow('The sample token could not be deployed.');
  });

  it('notes failing transfers once, and keeps trying', async () => {
    const tried = deferred();
    const { port } = await node({
      eth_sendTransaction(call) {
        if (call > 4) tried.resolve();
        return call > 1 ? 'fails' : undefined;
      },
    });
    const { notes } = await chain(await listening(port), 0.001);
    await tried.promise;
    expect(notes).toEqual(['note: A transfer could not be sent; trying again.\n']);
  });
});
