import { padHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { BlockWindow } from '../../src/chain/block-window.js';
import type { WebhookEvent } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { people, transfer, valuesOf, watchedNode } from './watching.js';

const on = watchedNode();
const { start, done } = on;

const sent = () => valuesOf(on.recorder.groups);
const mine = (...values: number[]) => on.node.mine({ logs: values.map((value) => transfer(value)) });
/** The watcher has asked the node for something so often again, and has done what came of it. */
async function polled(times: number): Promise<void> {
  const { length } = on.node.calls;
  await on.recorder.until(() => on.node.calls.length >= length + times);
}

describe('a re-org', () => {
  it('sends the removed logs backwards, then those of the blocks that took the place', async () => {
    mine(1);
    on.node.mine({ logs: [transfer(2), transfer(3)] }, { logs: [transfer(4)] });
    mine(5);
    await start();
    await done(3);
    on.node.drop(2);
    mine(6);
    mine(7);
    mine(8);
    await done(4);
    const before = [['1'], ['2', '3'], ['4'], ['5']];
    expect(sent()).toEqual([...before, ['-5'], ['-4'], ['-3', '-2'], ['6'], ['7'], ['8']]);
    expect(on.recorder.lines).toMatchObject([{ level: 'info', fields: { fromBlock: 2, toBlock: 3 } }]);
  });

  it('is found where the chain has not grown, and where it is shorter than before', async () => {
    for (const value of [1, 2, 3, 4]) mine(value);
    await start();
    await done(4);
    on.node.drop(1);
    mine(5);
    await on.recorder.until(() => on.recorder.groups.length === 6);
    on.node.drop(3);
    mine(6);
    await on.recorder.until(() => on.recorder.groups.length === 10);
    expect(sent().slice(4)).toEqual([['-4'], ['5'], ['-5'], ['-3'], ['-2'], ['6']]);
    await done(2);
  });

  it('says that it waits for a node that lags far behind', async () => {
    for (const value of [1, 2, 3]) mine(value);
    await start({ fromBlock: 3 });
    await done(3);
    on.node.drop(2);
    await on.recorder.until(() => on.recorder.lines.length > 0);
    expect(on.recorder.lines[0]).toMatchObject({ level: 'warn', fields: { head: 1, blockNumber: 3 } });
    expect(on.recorder.lines[0]?.message).toContain('Waiting for the node.');
    await polled(10);
    expect(on.recorder.lines).toHaveLength(1);
  });

  it('down to where the watching began starts there again', async () => {
    for (const value of [1, 2, 3]) mine(value);
    await start({ fromBlock: 2 });
    await done(3);
    on.node.drop(3);
    for (const value of [4, 5, 6, 7]) mine(value);
    await done(4);
    expect(sent()).toEqual([['2'], ['3'], ['-3'], ['-2'], ['5'], ['6'], ['7']]);
  });

  it('of the transactions of wallets sends nothing, and sends them again when they are mined again', async () => {
    const [wallet] = people;
    on.node.mine({ from: wallet });
    await start({ wallets: [wallet] });
    await done(1);
    on.node.drop(1);
    on.node.mine();
    on.node.mine({ from: wallet });
    await done(2);
    expect(on.recorder.groups.map((group) => group.map(({ event }) => event))).toEqual([
      ['transaction.included'],
      ['transaction.included'],
    ]);
  });

  it('while onEvents fails is undone only after what it gets has been taken', async () => {
    mine(1);
    let isAway = false;
    await start({
      onEvents(events) {
        if (isAway) throw new Error('away');
        on.recorder.onEvents(events);
      },
    });
    await done(1);
    isAway = true;
    mine(2);
    await on.recorder.until(() => on.recorder.lines.length > 2);
    on.node.drop(1);
    mine(3);
    mine(4);
    isAway = false;
    await done(3);
    expect(sent()).toEqual([['1'], ['2'], ['-2'], ['3'], ['4']]);
  });

  it('that only some of the nodes behind an address know of is looked into again', async () => {
    mine(1);
    mine(2);
    await start();
    await done(2);
    const old = on.node.chain[2]?.block;
    on.node.drop(1);
    mine(3);
    mine(4);
    let asked = 0;
    on.node.answer((method, [number, isWhole], answer) => {
      // The old block, then none, then the one that stands; block 3, when it is asked for first, is not there yet.
      if (method !== 'eth_getBlockByNumber') return answer;
      if (number === '0x3') return asked++ === 0 ? null : answer;
      if (isWhole || number !== '0x2' || asked++ > 2) return answer;
      return asked === 2 ? old : null;
    });
    await done(3);
    expect(sent()).toEqual([['1'], ['2'], ['-2'], ['3'], ['4']]);
    expect(asked).toBeGreaterThan(3);
  });

  it('that one node tells of and another does not bear out takes nothing back', async () => {
    mine(1);
    mine(2);
    await start();
    await done(2);
    let lies = 2;
    let hasLied = false;
    on.node.answer((method, [number, isWhole], answer) => {
      if (method !== 'eth_getBlockByNumber' || lies === 0) return answer;
      if (isWhole && number === '0x3') {
        hasLied = true;
        return { ...(answer as object), parentHash: padHex('0x3', { size: 32 }) };
      }
      if (number !== '0x2' || !hasLied) return answer;
      // First it has no such block, then the same one.
      return lies-- === 2 ? null : answer;
    });
    mine(3);
    await done(3);
    expect([sent(), lies]).toEqual([[['1'], ['2'], ['3']], 0]);
    expect(on.recorder.lines).toEqual([]);
  });
});

const hash = padHex(toHex(1), { size: 32 });
const block = (number: number, events = 0) => {
  const groups: WebhookEvent[][] = events > 0 ? [Array(events).fill(sampleEventEmitted())] : [];
  return { number, hash, parentHash: hash, events: groups };
};

describe('the window of blocks', () => {
  it('keeps the last blocks, so many or so many events of them, and always one', () => {
    const window = new BlockWindow(3, 10);
    expect([window.first, window.last, window.at(0), window.isCut]).toEqual([undefined, undefined, undefined, false]);
    for (const number of [5, 6, 7]) window.push(block(number));
    expect([window.first?.number, window.at(6)?.number, window.isCut]).toEqual([5, 6, false]);
    window.push(block(8, 6));
    expect([window.first?.number, window.isCut]).toEqual([6, true]);
    window.push(block(9, 6));
    expect([window.first?.number, window.last?.number, window.at(8)]).toEqual([9, 9, undefined]);
    window.push(block(10, 99));
    expect([window.first?.number, window.last?.number]).toEqual([10, 10]);
  });
});
