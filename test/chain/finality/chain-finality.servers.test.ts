import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../chaos/random.js';
import { hasAnvil, needsAnvil } from '../../servers/anvil.js';
import { openTwoChains } from '../two-chains.js';
import { eventOf, finalityOf } from './checking.js';

describe.skipIf(!hasAnvil)(`chainFinality on a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  let chains: Awaited<ReturnType<typeof openTwoChains>>;
  beforeAll(async () => {
    chains = await openTwoChains();
    await chains.mine(20);
  }, 60_000);
  afterAll(() => chains?.close());

  const eventAt = async (chain: number, number: number) =>
    eventOf({ block: await chains.block(chain, number) } as never);
  const numberOf = async (blockTag: 'safe' | 'finalized' | 'latest') =>
    Number((await chains.clients[0]?.getBlock({ blockTag }))?.number);

  it('takes blocks up to the final, the safe or the confirmed block as final', async () => {
    const head = await numberOf('latest');
    for (const [level, last] of [
      ['finalized', await numberOf('finalized')],
      ['safe', await numberOf('safe')],
      [{ confirmations: 3 }, head - 2],
    ] as const) {
      expect(last).toBeLessThan(head);
      const { verdict } = finalityOf({ rpcUrl: chains.url, level });
      expect(await verdict(await eventAt(0, last))).toEqual({ status: 'final' });
      // Ten seconds a block.
      expect(await verdict(await eventAt(0, last + 1))).toEqual({ status: 'pending', retryAfterMs: 10_000 });
    }
  });

  it('handles a block that a re-org removes and another one puts back, and drops what stays removed', async () => {
    const { verdict } = finalityOf({ rpcUrl: chains.url });
    const common = await chains.height(0);
    await chains.mine(2, [0]);
    await chains.mine(3, [1], 1);
    const [back, gone] = [await eventAt(0, common + 1), await eventAt(1, common + 1)];
    expect(JSON.stringify(back.data)).not.toBe(JSON.stringify(gone.data));
    for (const shown of [0, 1]) {
      chains.show(shown);
      expect(await verdict(back)).toMatchObject({ status: 'pending' });
      expect(await verdict(gone)).toMatchObject({ status: 'pending' });
    }
    chains.show(0);
    await chains.mine(8, [0]);
    expect(await verdict(back)).toEqual({ status: 'final' });
    expect(await verdict(gone)).toEqual({ status: 'dropped' });
    const removal = eventOf({ block: await chains.block(1, common + 1) } as never, { removed: true });
    expect(await verdict(removal)).toEqual({ status: 'final', isRemoval: true });
  });

  it('is not misled by a load balancer whose nodes are on different forks', async () => {
    const random = createRandom(7);
    // The second node lags, on blocks that the first one has replaced and finalized.
    const replaced = await chains.height(1);
    expect(await numberOf('finalized')).toBeGreaterThan(replaced);
    chains.show(() => random.int(0, 1));
    const { verdict } = finalityOf({ rpcUrl: chains.url });
    const said = [new Set<string>(), new Set<string>()];
    for (let round = 0; round < 20; round++) {
      for (const chain of [0, 1]) said[chain]?.add((await verdict(await eventAt(chain, replaced))).status);
    }
    for (const each of said) each.delete('pending');
    expect(said.map((each) => [...each])).toEqual([['final'], ['dropped']]);
    chains.show(0);
  });
});
