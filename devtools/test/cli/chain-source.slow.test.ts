import { chmod } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../../test/helpers.js';
import { startChain } from '../../src/cli/anvil/chain-source.js';
import { startAnvil } from '../../src/cli/anvil/start-anvil.js';
import { createOutput } from '../../src/cli/output.js';
import { createLocalService } from '../../src/service/index.js';
import { fakeNode, word } from './node.js';
import { sink } from './sink.js';
import { scratch } from './tool.js';

const hash = `0x${'12'.repeat(32)}`;
const address = `0x${'5f'.repeat(20)}`;
const receipt = { contractAddress: address };
const { signal } = new AbortController();

/** A program in the place of anvil: a script of the shell. */
async function program(script: string): Promise<string> {
  const file = await (await scratch())('anvil', `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o700);
  return file;
}

/** A node with one block, whose answers a test can replace. */
async function node(answers: Parameters<typeof fakeNode>[0]) {
  const block = { number: '0x0', hash, parentHash: hash, timestamp: '0x1', transactions: [] };
  const fixed: Record<string, unknown> = {
    ...{ eth_accounts: [address, address], eth_sendTransaction: hash, eth_chainId: '0x7a69', eth_blockNumber: '0x0' },
    ...{ eth_getTransactionReceipt: receipt, eth_getBlockByNumber: block, eth_getLogs: [], eth_call: word(18n) },
  };
  const always = Object.entries(fixed).map(([method, result]) => [method, () => result]);
  const { url } = await fakeNode({ ...Object.fromEntries(always), ...answers });
  return new URL(url).port;
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
    const receipts = [null, null, receipt];
    const port = await node({ eth_getTransactionReceipt: () => receipts.shift() });
    const { source } = await chain(await listening(port));
    expect(receipts).toEqual([]);
    expect(source?.watched).toEqual([{ address, label: 'sampletoken', name: 'SampleToken' }]);
    expect(source?.contracts.get(address.toLowerCase())).toMatchObject({ decimals: 18 });
  });

  it('fails when the sample token was not deployed', async () => {
    const port = await node({ eth_getTransactionReceipt: () => ({ contractAddress: 7 }) });
    await expect(chain(await listening(port))).rejects.toThrow('The sample token could not be deployed.');
  });

  it('notes failing transfers once, and keeps trying', async () => {
    const tried = deferred();
    let sent = 0;
    const port = await node({
      eth_sendTransaction() {
        if (++sent > 4) tried.resolve();
        return sent === 1 ? hash : undefined;
      },
    });
    const { notes } = await chain(await listening(port), 0.001);
    await tried.promise;
    expect(notes).toEqual(['note: A transfer could not be sent; trying again.\n']);
  });
});
