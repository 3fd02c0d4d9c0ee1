import { expect, it, onTestFinished } from 'vitest';
import { startRecordedChain } from '../../../examples/demo/recorded-chain.js';
import { tokenAbi } from '../../../examples/erc20-ledger/token.js';
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
