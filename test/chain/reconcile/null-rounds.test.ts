import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nullRounds, REFUSALS } from '../null-rounds.js';
import { createNode, type ScriptedNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { amountOf, keptCursor, noting, readAll, run, sourceOf } from './reconciling.js';

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
});

/** Mines blocks, each with a transfer of its number; those without a block have none. */
function mine(head: number, without: readonly number[]): number[] {
  const values = Array.from({ length: head }, (_, at) => at + 1).filter((number) => !without.includes(number));
  for (let number = 1; number <= head; number++) node.mine({ logs: values.includes(number) ? [transfer(number)] : [] });
  return values;
}

describe.each(REFUSALS)('numbers without a block, for which the node returns %s', (_, refuse) => {
  const gaps = [1, 4, 5, 9, ...Array.from({ length: 40 }, (_, at) => at + 12), 60];

  it.each([1, 2, 3, 7, 1000])('are passed in ranges of %i', async (maxRange) => {
    const values = mine(70, gaps);
    nullRounds(node, gaps, refuse);
    const { receiver, handled } = noting();
    const { report } = await run(node, receiver, { sourceOptions: { maxRange } });
    expect(report).toMatchObject({ to: 70, final: 70, repaired: values.length, stopped: undefined });
    expect(handled).toEqual(values);
  });

  it.each([4, 5, 6, 12, 51])('are passed where a run starts at block %i', async (from) => {
    const values = mine(70, gaps);
    nullRounds(node, gaps, refuse);
    const { source } = sourceOf(node, { maxRange: 5 });
    const { events } = await readAll(source, from, (await source.open({ signal: new AbortController().signal })).end);
    expect(events.map(amountOf)).toEqual(values.filter((value) => value >= from));
  });

  it('are passed where the level or `minAgeSeconds` ends in them', async () => {
    mine(70, gaps);
    nullRounds(node, gaps, refuse);
    const { signal } = new AbortController();
    const confirmed = sourceOf(node, { level: { confirmations: 11 } });
    expect(await confirmed.source.open({ signal })).toMatchObject({ end: 59, head: 70 });
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1000 * 1_800_000_070);
    try {
      const old = sourceOf(node, { minAgeSeconds: 25 });
      expect(await old.source.open({ signal })).toMatchObject({ end: 11, head: 70 });
      expect((await readAll(old.source)).events.map(amountOf)).toEqual([2, 3, 6, 7, 8, 10, 11]);
    } finally {
      clock.mockRestore();
    }
  });

  it.each([2, 5, 9, 10])(
    'are not believed where block %i does exist, and the cursor stays before it',
    async (hidden) => {
      const values = mine(10, []);
      const id = `0x${hidden.toString(16)}`;
      const lie = () =>
        node.answer((method, params, answer) =>
          method === 'eth_getBlockByNumber' && params[0] === id ? refuse() : answer,
        );
      lie();
      // The head is the final block here: it is the one that `latest` names.
      const cursor = keptCursor();
      const { receiver, handled } = noting();
      for (const maxRange of [1, 3, 1000]) {
        const { report } = await run(node, receiver, { cursor, sourceOptions: { maxRange } });
        expect(report.stopped?.reason).toBe('source');
        expect(cursor.state.next).toBeLessThanOrEqual(hidden);
      }
      node.answer((_, __, answer) => answer);
      await run(node, receiver, { cursor });
      expect(handled).toEqual(values);
    },
  );
});

it('a node that has dropped its first blocks is named with what to do', async () => {
  mine(10, []);
  node.answer((method, params, answer) => (method === 'eth_getBlockByNumber' && Number(params[0]) < 5 ? null : answer));
  const { report } = await run(node, noting().receiver);
  expect(report.stopped?.error?.message).toBe(
    'The node does not have block 1, which is final. It lags, or has dropped the block. If this persists, use a node that keeps all blocks.',
  );
});
