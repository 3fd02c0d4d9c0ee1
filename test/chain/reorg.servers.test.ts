import { type Address, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainWatcher } from '../../src/chain/index.js';
import { logIdentity } from '../../src/evm/index.js';
import type { WebhookEvent } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { createRandom } from '../chaos/random.js';
import { secret } from '../helpers.js';
import { balancesOf, keepBooks } from '../real-chain/books.js';
import { type Chain, openChain } from '../real-chain/chain.js';
import { startReceiver } from '../real-chain/receiving.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { createRecorder, type Recorder, watch } from './watching.js';

describe.skipIf(!hasAnvil)(`watchChain over re-orgs of a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  const random = createRandom(4231);
  let chain: Chain;
  let people: Address[];
  let books: ReturnType<typeof keepBooks>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let recorder: Recorder;
  let watcher: ChainWatcher;

  beforeAll(async () => {
    chain = await openChain();
    people = chain.accounts.slice(0, 3);
    books = keepBooks(chain);
    const idempotencyKey = (event: WebhookEvent) => logIdentity(event, { chainId: 31337 });
    receiver = await startReceiver({ onEvent: books.onEvent, idempotencyKey });
    recorder = createRecorder();
    watcher = await watch(recorder, {
      rpcUrl: chain.client.transport.url ?? '',
      contracts: chain.deployed.map((contract) => ({ ...contract, name: contract.label })),
      async onEvents(events) {
        expect(await receiver.post([createTestDelivery(events, { secret })])).toEqual([200]);
        recorder.onEvents(events);
      },
    });
  }, 60_000);
  afterAll(async () => {
    await watcher?.close();
    await receiver?.close();
    await chain?.close();
  });

  const height = () => chain.client.getBlockNumber({ cacheTime: 0 }).then(Number);

  /** Mines blocks of random calls that all succeed. */
  async function mine(blocks: number): Promise<void> {
    const { points, coins, goods } = chain.contracts;
    for (let block = 0; block < blocks; block++) {
      for (let call = random.int(1, 6); call > 0; call--) {
        const args = [random.pick(people), BigInt(random.int(1, 1000))] as const;
        const { address, data } = random.pick<() => { address: Address; data: Hex }>([
          () => ({ ...points, data: encodeFunctionData({ ...points, functionName: 'mint', args }) }),
          () => ({ ...coins, data: encodeFunctionData({ ...coins, functionName: 'mint', args }) }),
          () => ({
            ...goods,
            data: encodeFunctionData({ ...goods, functionName: 'mint', args: [args[0], 1n, args[1]] }),
          }),
        ])();
        await chain.send({ from: random.pick(people), to: address, data });
      }
      await chain.mine();
    }
  }

  /** The watcher has done all there is; the chain must be higher than it ever was. */
  async function settled(): Promise<void> {
    const head = await height();
    await recorder.until(() => watcher.blockNumber === head);
    expect(books.balances()).toEqual(await balancesOf(chain, people));
  }

  it('has handlers that undo end with the balances of the chain, when blocks are reverted', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await chain.client.snapshot();
      const depth = random.int(1, 12);
      await mine(depth);
      await settled();
      await chain.client.revert({ id });
      await mine(depth + 1);
      await settled();
    }
    expect(books.undone()).toBeGreaterThan(30);
    expect(receiver.errors).toEqual([]);
  });

  it('has them so when blocks are replaced while it watches', async () => {
    const undone = books.undone();
    await mine(9);
    await settled();
    for (const depth of [1, 4, 8]) {
      await chain.client.request({ method: 'anvil_reorg' as never, params: [depth, []] as never });
      await mine(1);
      await settled();
    }
    expect(books.undone()).toBeGreaterThan(undone);
    expect(receiver.errors).toEqual([]);
  });
});
