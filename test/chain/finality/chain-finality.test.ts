import { padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Mined } from '../scripted-node.js';
import { at, eventOf as eventIn, FINAL, finalityOf, forkOf, inclusionOf, nodeWith } from './checking.js';

const pending = (message: string) => ({ status: 'pending', error: { message: expect.stringContaining(message) } });

describe('chainFinality', () => {
  it('says final of events up to the final block, and pending without an error of later ones', async () => {
    const node = nodeWith(20, 10);
    const { check } = finalityOf({ rpcUrl: node.url });
    const events = [0, 9, 10, 11, 20].map((number) => eventIn(at(node.chain, number)));
    expect(await check(events)).toEqual([
      FINAL,
      FINAL,
      FINAL,
      { status: 'pending', retryAfterMs: 1000 },
      { status: 'pending', retryAfterMs: 10_000 },
    ]);
  });

  it.each([
    ['safe', 14],
    ['finalized', 10],
    [{ confirmations: 1 }, 20],
    [{ confirmations: 5 }, 16],
    [{ confirmations: 21 }, 0],
  ] as const)('takes blocks up to the level %j as final', async (level, last) => {
    const node = nodeWith(20, 10);
    node.set({ safe: 14 });
    const { verdict } = finalityOf({ rpcUrl: node.url, level });
    expect(await verdict(eventIn(at(node.chain, last)))).toEqual(FINAL);
    if (last < 20) expect(await verdict(eventIn(at(node.chain, last + 1)))).toMatchObject({ status: 'pending' });
  });

  it('drops an event when another final block has taken the place of its block', async () => {
    const node = nodeWith(20, 10);
    const { verdict } = finalityOf({ rpcUrl: node.url });
    expect(await verdict(eventIn(forkOf(at(node.chain, 8))))).toEqual({ status: 'dropped' });
    expect(await verdict(eventIn(forkOf(at(node.chain, 11))))).toMatchObject({ status: 'pending' });
  });

  describe('of a removal notice', () => {
    it('says final when another block is final, and dropped when the log is of the chain after all', async () => {
      const node = nodeWith(20, 10);
      const { verdict } = finalityOf({ rpcUrl: node.url });
      const removal = (mined: Pick<Mined, 'block'>) => eventIn(mined, { removed: true });
      expect(await verdict(removal(forkOf(at(node.chain, 8))))).toEqual({ status: 'final', isRemoval: true });
      expect(await verdict(removal(at(node.chain, 8)))).toEqual({ status: 'dropped', isRemoval: true });
      expect(await verdict(removal(at(node.chain, 11)))).toMatchObject({ status: 'pending' });
    });

    it('does not say that it is moot near the head, where a lagging node still has the block', async () => {
      const node = nodeWith(50);
      const { verdict } = finalityOf({ rpcUrl: node.url, level: { confirmations: 2 } });
      expect(await verdict(eventIn(at(node.chain, 49), { removed: true }))).toMatchObject({ status: 'pending' });
      expect(await verdict(eventIn(at(node.chain, 10), { removed: true }))).toMatchObject({ status: 'dropped' });
    });

    it('never answers it from memory', async () => {
      const node = nodeWith(20, 10);
      const { verdict, lines } = finalityOf({ rpcUrl: node.url });
      const event = eventIn(at(node.chain, 10));
      expect(await verdict(event)).toEqual(FINAL);
      node.drop(12);
      for (let block = 0; block < 12; block++) node.mine();
      const removal = eventIn(
        { block: JSON.parse(JSON.stringify(forkOf(at(node.chain, 10)).block)) },
        { removed: true },
      );
      // The node has replaced its final blocks: what it said before is not believed, nor what it says now.
      expect(await verdict(removal)).toMatchObject({ status: 'pending' });
      expect(lines.map(({ level }) => level)).toEqual(['warn']);
      expect(await verdict(event)).toEqual({ status: 'dropped' });
      expect(await verdict(removal)).toEqual({ status: 'final', isRemoval: true });
    });
  });

  describe('of a transaction.included', () => {
    it('goes by its block, or by that of its receipt', async () => {
      const node = nodeWith(8, 10);
      const mined = node.mine({}, {});
      for (let block = 0; block < 5; block++) node.mine();
      const { verdict } = finalityOf({ rpcUrl: node.url });
      const { number, hash, transactions } = mined.block;
      expect(await verdict(inclusionOf({ blockHash: hash, blockNumber: Number(number) }))).toEqual(FINAL);
      const tx = { hash: transactions[1]?.hash.toUpperCase().replace('0X', '0x') };
      expect(await verdict(inclusionOf({ tx }))).toEqual(FINAL);
      const blockHash = padHex('0xf0', { size: 32 });
      expect(await verdict(inclusionOf({ blockHash, blockNumber: 9 }))).toEqual({ status: 'dropped' });
    });

    it('is pending while the block of the receipt is not final, and when there is none', async () => {
      const node = nodeWith(8, 8);
      const mined = node.mine({});
      const { verdict } = finalityOf({ rpcUrl: node.url });
      const tx = { hash: mined.block.transactions[0]?.hash };
      expect(await verdict(inclusionOf({ tx }))).toEqual({ status: 'pending', retryAfterMs: 1000 });
      const unknown = inclusionOf({ tx: { hash: padHex('0x1', { size: 32 }) } });
      expect(await verdict(unknown)).toMatchObject(pending(`${node.origin} has no receipt of 0x0`));
    });
  });

  it.each([
    ['rawFields that are not JSON', { event: { rawFields: '{' } }],
    [
      'a block number that a number cannot represent',
      {
        event: { rawFields: eventIn(forkOf({ block: { number: '0x20000000000000' } } as never)).data.event.rawFields },
      },
    ],
    ['no rawFields and no transaction', { event: { rawFields: undefined }, transaction: undefined }],
    [
      'no rawFields and a transaction without a block',
      { event: { rawFields: undefined }, transaction: { blockHash: '0x', blockNumber: -1 } },
    ],
  ])('is pending, with an error and without a request, of %s', async (_, data) => {
    const node = nodeWith(2, 2);
    const { verdict } = finalityOf({ rpcUrl: node.url });
    const good = eventIn(at(node.chain, 1));
    const bad = structuredClone(good);
    Object.assign(bad.data, { ...data, event: { ...good.data.event, ...data.event } });
    const said = await verdict(bad);
    expect(said).toMatchObject({ status: 'pending', retryAfterMs: 300_000, error: { code: 'ERR_WEBHOOK_RAW_FIELDS' } });
    expect(node.calls).toEqual([]);
  });

  it('waits as long as the chain takes for the missing blocks, from a second to five minutes', async () => {
    const node = nodeWith(400, 10);
    const { check } = finalityOf({ rpcUrl: node.url });
    const verdicts = await check([11, 12, 110, 400].map((number) => eventIn(at(node.chain, number))));
    expect(verdicts.map((each) => 'retryAfterMs' in each && each.retryAfterMs)).toEqual([1000, 2000, 100_000, 300_000]);
    expect(node.calls).toHaveLength(3);
  });
});
