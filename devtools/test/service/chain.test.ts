import { expect, it, onTestFinished } from 'vitest';
import { startRecordedChain } from '../../../examples/demo/recorded-chain.js';
import { tokenAbi } from '../../../examples/erc20-ledger/token.js';
import { startNode } from '../../../test/chain/scripted-node.js';
import { token, transfer } from '../../../test/chain/watching.js';
import { deferred } from '../../../test/helpers.js';
import { receiving } from './receivers.js';
import { serving } from './service.js';

it('service.watchChain delivers what happens on a chain, until the service is closed', async () => {
  const chain = await startRecordedChain({ blockMs: 0 });
  onTestFinished(() => chain.close());
  const { blocks, accounts, token: address } = chain.recording;
  const { service } = await serving();
  const included = blocks.flatMap(({ block }) => block.transactions).length;
  const expected = included + blocks.flatMap(({ logs }) => logs).length;
  const all = deferred();
  let handled = 0;
  const receiver = await receiving({
    onEvent: () => {
      if (++handled === expected) all.resolve();
    },
  });
  receiver.setSecret(service.register({ label: 'mine', url: receiver.url }).secret);
  const contract = { address, abi: tokenAbi, name: 'Token', label: 'token' };
  const options = { rpcUrl: chain.url, contracts: [contract], wallets: accounts, pollIntervalMs: 1 };
  const watcher = await service.watchChain({ ...options, fromBlock: 0 });
  expect(watcher.chainId).toBe(31_337);
  while (chain.release());
  await all.promise;
  await service.idle();
  expect([handled, receiver.refused]).toEqual([expected, []]);
  await service.close();
});

it('service.watchChain delivers a transaction whose logs and call data are more than one delivery holds', async () => {
  const node = await startNode();
  onTestFinished(() => node.stop());
  const { service } = await serving();
  const receiver = await receiving();
  receiver.setSecret(service.register({ label: 'mine', url: receiver.url }).secret);
  const watcher = await service.watchChain({ rpcUrl: node.url, contracts: [token], fromBlock: 0, pollIntervalMs: 1 });
  const values = Array.from({ length: 200 }, (_, at) => at);
  const input = `0x${'ab'.repeat(200_000)}` as const;
  node.mine({ input, logs: values.map((value) => transfer(value)) });
  while (watcher.blockNumber < 1) await new Promise(setImmediate);
  await service.idle();
  // A queue holds 32 MiB, and gives up the oldest of what is beyond.
  expect(receiver.handled.length).toBeGreaterThan(50);
  expect(receiver.handled.at(-1)).toMatchObject({ data: { event: { inputs: [{}, {}, { value: '199' }] } } });
  expect(receiver.refused).toEqual([]);
}, 20_000);
