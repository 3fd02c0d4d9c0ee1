import { describe, expect, it } from 'vitest';
import type { WatchChainOptions } from '../../src/chain/index.js';
import { watch, watchedNode } from './watching.js';

const on = watchedNode();
const { sent, mine } = on;

/** The block is done, and its transfer was the last to be sent: the watcher may also come by on its way back. */
const done = (number: number, value: number | string) =>
  on.recorder.until(() => on.watcher?.blockNumber === number && sent().at(-1) === String(value));
const levels = () => on.recorder.lines.map(({ level }) => level);
/** So many times more the watcher has asked the node for its last block, and has done what came of it. */
async function polled(times: number): Promise<void> {
  const polls = () => on.node.calls.filter(({ method }) => method === 'eth_blockNumber').length;
  const before = polls();
  await on.recorder.until(() => polls() > before + times);
}
const isAboutBlock0 = (method: string, params: readonly unknown[]) =>
  method === 'eth_getBlockByNumber' && params[0] === '0x0' && params[1] === false;
const asksForBlock0 = () => on.node.calls.filter(({ method, params }) => isAboutBlock0(method, params)).length;

/** A chain of six blocks of which the last is watched: after that, block 6 has come. */
async function watchFrom5(options: Partial<WatchChainOptions> = {}): Promise<void> {
  mine(1, 2, 3, 4, 5);
  on.watcher = await watch(on.recorder, { rpcUrl: on.node.url, fromBlock: 'latest', ...options });
  mine(6);
  await done(6, 6);
}
/** As a node that was restarted: from block 0 on everything is new. */
function restart(...values: number[]): void {
  on.node.drop(on.node.chain.length);
  on.node.mine();
  mine(...values);
}

describe('another chain at the same URL', () => {
  it('is passed on from its block 0, each transfer once, after the old chain was undone', async () => {
    await watchFrom5();
    restart(101, 102, 103, 104, 105, 106, 107, 108);
    await done(8, 108);
    mine(109);
    await done(9, 109);
    expect(sent().join()).toBe('6,-6,101,102,103,104,105,106,107,108,109');
    expect(on.recorder.lines).toMatchObject([{ level: 'warn', fields: { chainId: 31337, fromBlock: 5, toBlock: 6 } }]);
    expect(on.recorder.lines[0]?.message).toBe(
      'The node now has another chain, with another block 0. Undoing blocks 5 to 6 of the old chain; following the new one from block 0.',
    );
  });

  it('is sent also while it is shorter than the old one, and so is the next one', async () => {
    await watchFrom5();
    restart(101);
    await done(1, 101);
    restart();
    await done(0, -101);
    restart(301, 302);
    await done(2, 302);
    expect(sent().join()).toBe('6,-6,101,-101,301,302');
    expect(levels()).toEqual(['warn', 'warn', 'warn']);
  });

  it('may have another chain id, which is logged', async () => {
    await watchFrom5();
    on.node.answer((method, _, answer) => (method === 'eth_chainId' ? '0x1' : answer));
    restart(101);
    await done(1, 101);
    expect(on.watcher?.chainId).toBe(1);
    expect(on.recorder.lines[0]?.message).toContain('another block 0 and chain id 1 instead of 31337.');
  });
});

describe('the same chain', () => {
  it('of a node that lags is not undone, however short it is', async () => {
    await watchFrom5();
    const { chain } = on.node;
    on.node.drop(6);
    const before = asksForBlock0();
    await polled(20);
    expect(asksForBlock0()).toBeGreaterThan(before);
    on.node.chain = chain;
    mine(7);
    await done(7, 7);
    expect(sent().join()).toBe('6,7');
    expect(levels()).toEqual(['warn']);
    expect(on.recorder.lines[0]?.message).toContain('Waiting for the node.');
  });

  it.each([
    ['are behind what is done', 1],
    ['have other blocks', 8],
  ])('is not left while the nodes behind an address, which %s, disagree on block 0', async (_, blocks) => {
    await watchFrom5();
    const [old] = on.node.chain;
    let looks = 0;
    on.node.answer((method, params, answer) => (isAboutBlock0(method, params) && looks++ % 2 ? old?.block : answer));
    const values = Array.from({ length: blocks }, (_, at) => 101 + at);
    restart(...values);
    await polled(20);
    expect(looks).toBeGreaterThan(20);
    expect([sent().join(), on.watcher?.blockNumber]).toEqual(['6', 6]);
    on.node.answer((_, __, answer) => answer);
    await done(blocks, 100 + blocks);
    expect(sent().join()).toBe(['6', '-6', ...values].join());
  });

  describe.each([
    ['has none', () => null],
    [
      'says that it is gone',
      () => {
        throw new Error('pruned');
      },
    ],
    ['answers what cannot be', () => ({ number: '0x0' })],
  ])('is what a node has for block 0 that %s', (_, block0) => {
    const withoutBlock0 = () =>
      on.node.answer((method, params, answer) => (isAboutBlock0(method, params) ? block0() : answer));

    it('at the start: the node is waited for, and a replaced block is a re-org', async () => {
      withoutBlock0();
      await watchFrom5();
      restart(101);
      await polled(20);
      expect([sent().join(), levels().join()]).toEqual(['6', 'warn']);
      expect(asksForBlock0()).toBe(1);
      mine(102, 103, 104, 105, 106, 107);
      await done(7, 107);
      expect([sent().join(), levels().join()]).toEqual(['6,-6,105,106,107', 'warn,info']);
    });

    it('later on: it is waited for without a word of it', async () => {
      await watchFrom5();
      withoutBlock0();
      on.node.drop(4);
      const before = asksForBlock0();
      await polled(20);
      expect(asksForBlock0()).toBeGreaterThan(before);
      mine(103, 104, 105, 106);
      await done(6, 106);
      expect([sent().join(), levels().join()]).toEqual(['6,-6,105,106', 'warn,info']);
    });
  });
});
