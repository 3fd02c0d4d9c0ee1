import { padHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { KnownBlocks } from '../../../src/chain/ancestry.js';
import { at, countsOf, eventOf, FINAL, finalityOf, forkOf, nodeWith } from './checking.js';

describe('the requests of chainFinality', () => {
  it('are one a block, whatever the number of events', async () => {
    const node = nodeWith(30, 20);
    const { check, verdict } = finalityOf({ rpcUrl: node.url });
    const events = Array.from({ length: 100 }, (_, logIndex) =>
      eventOf(at(node.chain, 17 + (logIndex % 3)), { logIndex }),
    );
    expect(await check(events)).toEqual(events.map(() => FINAL));
    expect(countsOf(node)).toEqual({ eth_chainId: 1, 'eth_getBlockByNumber finalized': 1, eth_getBlockByNumber: 3 });
    node.set({ finalized: 29 });
    expect(await verdict(eventOf(at(node.chain, 22)))).toEqual(FINAL);
    expect(countsOf(node).eth_getBlockByNumber).toBe(3 + 29 - 22);
  });

  it('are shared by concurrent checks', async () => {
    const node = nodeWith(30, 20);
    const { check } = finalityOf({ rpcUrl: node.url });
    const checks = Array.from({ length: 50 }, (_, logIndex) => check([eventOf(at(node.chain, 15), { logIndex })]));
    expect(await Promise.all(checks)).toEqual(checks.map(() => [FINAL]));
    expect(node.calls).toHaveLength(1 + 1 + 5);
  });

  it('are none for a block that is known to be final', async () => {
    const node = nodeWith(30, 20);
    const { check, pass } = finalityOf({ rpcUrl: node.url });
    await check([eventOf(at(node.chain, 15))]);
    node.stop();
    pass(3_600_000);
    expect(await check([eventOf(at(node.chain, 15), { logIndex: 7 })])).toEqual([FINAL]);
    const others = [forkOf(at(node.chain, 15)), at(node.chain, 16)].map((block) => eventOf(block));
    for (const event of [...others, eventOf(at(node.chain, 15), { removed: true })]) {
      expect(await check([event])).toMatchObject([{ status: 'pending', error: { reason: 'unreachable' } }]);
    }
  });

  it('follow links through at most 256 blocks, and ask twice about deeper ones', async () => {
    const node = nodeWith(600, 590);
    const { check, verdict } = finalityOf({ rpcUrl: node.url });
    expect(await verdict(eventOf(at(node.chain, 590 - 256)))).toEqual(FINAL);
    expect(countsOf(node).eth_getBlockByNumber).toBe(256);
    const [deep, other] = [eventOf(at(node.chain, 100)), eventOf(at(node.chain, 200))];
    node.calls.splice(0);
    expect(await check([deep, other])).toEqual([FINAL, FINAL]);
    expect(countsOf(node)).toEqual({ eth_getBlockByNumber: 4, 'eth_getBlockByNumber finalized': 1 });
    const order = node.calls.map(({ params }) => params[0]);
    expect(order[2]).toBe('finalized');
    expect(await verdict(eventOf(forkOf(at(node.chain, 100))))).toEqual({ status: 'dropped' });
  });

  it('are at most eight at a time', async () => {
    const node = nodeWith(200, 190);
    let [open, most] = [0, 0];
    node.answer(async (_, __, answer) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return answer;
    });
    const { check } = finalityOf({ rpcUrl: node.url });
    expect(await check([0, 50, 100].map((number) => eventOf(at(node.chain, number))))).toEqual([FINAL, FINAL, FINAL]);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });
});

const hashOf = (number: number) => padHex(toHex(number), { size: 32 });

it('chainFinality forgets the oldest of more than 4096 blocks', () => {
  const known = new KnownBlocks();
  for (let number = 0; number < 5000; number++) {
    known.addFinal(number, hashOf(number));
    known.addHeader({ number, hash: hashOf(number), parentHash: hashOf(number + 1), timestamp: number, bloom: '' });
  }
  expect([known.final.size, known.headers.size]).toEqual([4096, 4096]);
  expect([known.final.has(903), known.final.has(904), known.final.has(4999)]).toEqual([false, true, true]);
  expect(() => known.addFinal(4999, hashOf(1))).toThrow('now final at 4999');
  expect(known.final.get(4999)).toBe(hashOf(4999));
});
