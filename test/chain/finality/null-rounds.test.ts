import { padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { nullRounds, REFUSALS } from '../null-rounds.js';
import { eventOf, finalityOf, forkOf, nodeWith } from './checking.js';

const level = { confirmations: 1 };

describe.each(REFUSALS)('numbers without a block, for which the node returns %s', (_, refuse) => {
  const gaps = [5, 6, 9, ...Array.from({ length: 20 }, (_, at) => at + 20)];

  async function withGaps() {
    const node = nodeWith(120);
    nullRounds(node, gaps, refuse);
    return { node, finality: finalityOf({ rpcUrl: node.url, level }) };
  }

  it('are passed on the way from the final block to that of an event', async () => {
    const { node, finality } = await withGaps();
    for (const number of [119, 40, 19, 10, 8, 7, 4, 1]) {
      const event = eventOf(node.chain[number] as never);
      expect([number, await finality.verdict(event)]).toEqual([number, { status: 'final' }]);
    }
  });

  it.each([5, 9, 30])(
    'show that block %i is not on the chain: its event is dropped, and its removal final',
    async (number) => {
      const { node, finality } = await withGaps();
      const gone = forkOf(node.chain[number] as never, padHex('0xf1', { size: 32 }));
      expect(await finality.verdict(eventOf(gone))).toEqual({ status: 'dropped' });
      expect(await finality.verdict(eventOf(gone, { removed: true }))).toEqual({ status: 'final', isRemoval: true });
    },
  );

  it('are not believed where the block does exist: its event waits', async () => {
    const node = nodeWith(120);
    const finality = finalityOf({ rpcUrl: node.url, level });
    let isHidden = true;
    node.answer((method, params, answer) => {
      const isIts =
        method === 'eth_getBlockByNumber' ? params[0] === '0x64' : params[0] === node.chain[100]?.block.hash;
      return isIts && isHidden ? refuse() : answer;
    });
    for (const number of [100, 99]) {
      expect(await finality.verdict(eventOf(node.chain[number] as never))).toMatchObject({
        status: 'pending',
        error: { code: 'ERR_WEBHOOK_RPC' },
      });
    }
    isHidden = false;
    finality.pass(60_000);
    expect(await finality.verdict(eventOf(node.chain[100] as never))).toEqual({ status: 'final' });
  });
});
