import { encodeFunctionData, type Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRemoved, logIdentity } from '../../src/evm/index.js';
import type { WebhookEvent } from '../../src/index.js';
import { createRandom, type Random } from '../chaos/random.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { balancesOf, keepBooks } from './books.js';
import { type Chain, type Happened, openChain } from './chain.js';
import { startReceiver } from './receiving.js';
import { createWire } from './wire.js';

/** The accounts that anvil has. Transactions are signed here, so that they can be mined once more after a re-org. */
const signers = [0, 1, 2].map((addressIndex) => mnemonicToAccount(`${'test '.repeat(11)}junk`, { addressIndex }));
const people = signers.map(({ address }) => address);

describe.skipIf(!hasAnvil)(`re-orgs of a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  let chain: Chain;
  let books: ReturnType<typeof keepBooks>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let wire: ReturnType<typeof createWire>;
  let random: Random;
  const identity = (event: WebhookEvent) => logIdentity(event, { chainId: 31337 });

  beforeAll(async () => {
    chain = await openChain();
    random = createRandom(4231);
    wire = createWire(chain, random);
    books = keepBooks(chain);
    receiver = await startReceiver({ onEvent: books.onEvent, idempotencyKey: identity });
    await deliver(await chain.happened(0n));
  }, 60_000);
  afterAll(async () => {
    await receiver?.close();
    await chain?.close();
  });

  /** Delivers logs, or the notices that they were removed, each under its own event id. */
  async function deliver(happened: readonly Happened[], removed = false): Promise<void> {
    const events = happened.map((each) => wire.emitted(each, removed));
    expect(await receiver.post(wire.deliveries(events))).toEqual([200]);
  }

  /** Signs a few transactions of each account, in the order of its nonces. */
  async function sign(): Promise<Hex[][]> {
    const { points, coins, deeds, goods } = chain.contracts;
    const someone = () => random.pick(people);
    const signed: Hex[][] = [];
    for (const signer of signers) {
      const nonce = await chain.client.getTransactionCount(signer);
      const deed = BigInt(random.int(0, 2 ** 40));
      const calls = [
        { ...points, data: encodeFunctionData({ ...points, functionName: 'mint', args: [someone(), 100n] }) },
        { ...points, data: encodeFunctionData({ ...points, functionName: 'transfer', args: [someone(), 30n] }) },
        { ...coins, data: encodeFunctionData({ ...coins, functionName: 'mint', args: [someone(), 10n ** 17n] }) },
        { ...deeds, data: encodeFunctionData({ ...deeds, functionName: 'mint', args: [someone(), deed] }) },
        { ...goods, data: encodeFunctionData({ ...goods, functionName: 'mint', args: [someone(), 1n, 40n] }) },
        { ...goods, data: encodeFunctionData({ ...goods, functionName: 'mintBatch', args: [someone(), [0n], [4n]] }) },
      ];
      const transactions = calls.map(({ address, data }, at) =>
        signer.signTransaction({
          ...{ type: 'eip1559', chainId: 31337, nonce: nonce + at, to: address, data },
          ...{ gas: 300_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
        }),
      );
      signed.push(await Promise.all(transactions));
    }
    return signed;
  }

  /** Mines signed transactions, a few to a block, those of different accounts in random order. */
  async function mine(signed: readonly (readonly Hex[])[]): Promise<Happened[]> {
    const from = (await chain.client.getBlockNumber({ cacheTime: 0 })) + 1n;
    const queues = signed.map((each) => [...each]);
    while (queues.some((queue) => queue.length > 0)) {
      for (const queue of random.shuffle(queues)) {
        for (const serializedTransaction of queue.splice(0, random.int(0, 3))) {
          await chain.client.sendRawTransaction({ serializedTransaction });
        }
      }
      await chain.mine();
    }
    return chain.happened(from);
  }

  it('are undone and done by handlers, whose balances are those of the chain after each', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await chain.client.snapshot();
      const signed = await sign();
      const first = await mine(signed);
      await deliver(first);
      expect(books.balances()).toEqual(await balancesOf(chain, people));

      await chain.client.revert({ id });
      await deliver(first.toReversed(), true);
      expect(books.balances()).toEqual(await balancesOf(chain, people));

      // The last of one account is lost for good.
      const second = await mine(signed.map((each, at) => (at === round % 3 ? each.slice(0, -1) : each)));
      expect(second.length).toBeLessThan(first.length);
      await deliver(second);
      expect(books.balances()).toEqual(await balancesOf(chain, people));

      // Once more, under other ids: by its identity each has been handled.
      await deliver(first);
      await deliver(first, true);
      await deliver(second);
      expect(books.balances()).toEqual(await balancesOf(chain, people));
    }
    expect(receiver.errors).toEqual([]);
    expect(books.undone()).toBeGreaterThan(50);
  });

  it('give a log that was mined again, and its removal, different identities', async () => {
    const id = await chain.client.snapshot();
    const signed = await sign();
    const first = await mine(signed);
    await chain.client.revert({ id });
    const second = await mine(signed);
    expect(new Set(second.map(({ log }) => log.transactionHash))).toEqual(
      new Set(first.map(({ log }) => log.transactionHash)),
    );

    const identities = (happened: readonly Happened[], removed?: boolean) =>
      happened.map((each) => identity(wire.emitted(each, removed)));
    const all = [...identities(first), ...identities(first, true), ...identities(second)];
    expect(new Set(all).size).toBe(3 * first.length);
    expect(identities(first)).toEqual(all.slice(0, first.length));
    expect(identities(first, true)).toEqual(identities(first).map((each) => `${each}:removed`));
    for (const each of first) {
      expect(isRemoved(wire.emitted(each))).toBe(false);
      expect(isRemoved(wire.emitted(each, true))).toBe(true);
    }
  });
});
