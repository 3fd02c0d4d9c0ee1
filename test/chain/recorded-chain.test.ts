import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { startRecordedChain } from '../../examples/demo/recorded-chain.js';
import { tokenAbi } from '../../examples/erc20-ledger/token.js';
import { contractEvent } from '../../src/evm/index.js';
import { createRouter } from '../../src/index.js';
import { createRecorder, isEmitted, received, watch } from './watching.js';

describe('a recorded chain', () => {
  it('is watched as the real one was, block after block, to the balances of its end', async () => {
    const chain = await startRecordedChain({ blockMs: 0 });
    const { token, accounts, balances, blocks } = chain.recording;
    const recorder = createRecorder();
    const contract = { address: token, abi: tokenAbi, name: 'Token', label: 'token' };
    const watcher = await watch(recorder, { rpcUrl: chain.url, contracts: [contract], wallets: accounts });
    try {
      expect(watcher.chainId).toBe(31337);
      for (let number = 1; number < blocks.length; number++) {
        expect(chain.release()).toBe(true);
        await recorder.until(() => watcher.blockNumber === number);
      }
      expect(chain.release()).toBe(false);
    } finally {
      await watcher.close();
      await chain.close();
    }
    expect(recorder.lines).toEqual([]);

    const events = received(recorder.groups.flat());
    const books: Record<string, bigint> = Object.fromEntries(accounts.map((account) => [getAddress(account), 0n]));
    const add = (who: string, value: bigint) => {
      books[who] = (books[who] ?? 0n) + value;
    };
    const router = createRouter().on(contractEvent({ abi: tokenAbi, name: 'Transfer', address: token }), ({ args }) => {
      add(args.from, -args.value);
      add(args.to, args.value);
    });
    const signal = new AbortController().signal;
    for (const event of events.filter(isEmitted)) await router.dispatch(event, { signal } as never);
    for (const [who, balance] of Object.entries(balances)) expect(books[getAddress(who)]).toBe(BigInt(balance));

    const included = events.filter((event) => event.event === 'transaction.included');
    expect(included.length).toBe(blocks.flatMap(({ block }) => block.transactions).length);
    expect(included.filter(({ data }) => data.failed)).toHaveLength(1);
  });

  it('says that it can only be watched', async () => {
    const chain = await startRecordedChain({ blockMs: 0 });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_sendTransaction', params: [{}] });
    const response = await fetch(chain.url, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ id: 7, error: { message: 'A recorded chain can only be watched.' } });
    await chain.close();
  });
});
