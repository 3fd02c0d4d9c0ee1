import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, openChain } from '../../real-chain/chain.js';
import { hasAnvil, needsAnvil } from '../../servers/anvil.js';
import { eventOf, finalityOf } from './checking.js';

describe.skipIf(!hasAnvil)(`chainFinality on a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await openChain(0, '--slots-in-an-epoch', '2');
    await chain.client.mine({ blocks: 20 });
  }, 60_000);
  afterAll(() => chain?.close());

  const rpcUrl = () => chain.client.transport.url ?? '';
  const eventAt = async (number: number) => {
    const { hash } = await chain.client.getBlock({ blockNumber: BigInt(number) });
    return eventOf({ block: { number: `0x${number.toString(16)}`, hash: hash as Hex } } as never);
  };
  const numberOf = async (blockTag: 'safe' | 'finalized' | 'latest') =>
    Number((await chain.client.getBlock({ blockTag })).number);

  it('takes blocks up to the final, the safe or the confirmed block as final', async () => {
    const head = await numberOf('latest');
    for (const [level, last] of [
      ['finalized', await numberOf('finalized')],
      ['safe', await numberOf('safe')],
      [{ confirmations: 3 }, head - 2],
    ] as const) {
      expect(last).toBeLessThan(head);
      const { verdict } = finalityOf({ rpcUrl: rpcUrl(), level });
      expect(await verdict(await eventAt(last))).toEqual({ status: 'final' });
      expect(await verdict(await eventAt(last + 1))).toMatchObject({ status: 'pending' });
    }
  });

  it('drops the event of a block that a re-org removed, once the block in its place is final', async () => {
    const { verdict } = finalityOf({ rpcUrl: rpcUrl() });
    const head = await numberOf('latest');
    const gone = await eventAt(head);
    await chain.client.request({ method: 'anvil_reorg' as never, params: [1, []] as never });
    // Another block has taken the place: with another time, and so with another hash.
    expect(JSON.stringify((await eventAt(head)).data)).not.toBe(JSON.stringify(gone.data));
    expect(await verdict(gone)).toMatchObject({ status: 'pending' });
    await chain.client.mine({ blocks: 8 });
    expect(await verdict(gone)).toEqual({ status: 'dropped' });
    expect(await verdict(await eventAt(head))).toEqual({ status: 'final' });
  });
});
