import { padHex } from 'viem';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { chainSource, watchChain } from '../../../src/chain/index.js';
import type { WebhookEvent } from '../../../src/index.js';
import { createNode, type ScriptedNode } from '../scripted-node.js';
import { createRecorder, people, received, token, transfer } from '../watching.js';
import { amountOf, chainId, readAll, sourceOf } from './reconciling.js';

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
});

const other = padHex('0xabc', { size: 20 });
const withoutIds = (events: readonly WebhookEvent[]) => events.map((event) => ({ ...event, id: '' }));

describe('chainSource', () => {
  it('reads the events that watchChain passes on, in the same order and form', async () => {
    const [first] = people;
    node.mine({ logs: [transfer(1), transfer(2)] }, { from: first, logs: [transfer(3)] });
    node.mine();
    node.mine({ from: first, failed: true }, { logs: [transfer(9, other)] }, { logs: [transfer(4)] });
    const { source } = sourceOf(node, { wallets: [first] });
    const { chunks, events } = await readAll(source);

    const recorder = createRecorder();
    const watching = { rpcUrl: node.url, contracts: [token], wallets: [first], logger: recorder.logger };
    const watcher = await watchChain({ ...watching, fromBlock: 0, pollIntervalMs: 1, onEvents: recorder.onEvents });
    await recorder.until(() => watcher.blockNumber === 3);
    await watcher.close();
    expect(withoutIds(events)).toEqual(withoutIds(recorder.groups.flat()));
    expect(received(events)).toEqual(events);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(chunks.map(({ to }) => to)).toEqual([3]);
    expect(chunks[0]?.entries.map(({ position }) => position)).toEqual([1, 1, 1, 1, 3, 3]);
    expect(chunks[0]?.oldestAt).toBe(1000 * 1_800_000_001);
  });

  it('reads up to the level, in ranges of at most `maxRange` blocks', async () => {
    for (let value = 1; value <= 9; value++) node.mine({ logs: [transfer(value)] });
    const { source } = sourceOf(node, { level: { confirmations: 3 }, maxRange: 3, chainId });
    const { signal } = new AbortController();
    expect(await source.open({ signal })).toMatchObject({ chainId, end: 7, head: 9 });
    const { chunks, events } = await readAll(source);
    expect(chunks.map(({ to }) => to)).toEqual([2, 5, 7]);
    expect(events.map(amountOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const tooMany = sourceOf(node, { level: { confirmations: 11 } });
    expect(await tooMany.source.open({ signal })).toMatchObject({ end: -1 });
  });

  it('reads a block with more logs than a range may have', async () => {
    node.mine({ logs: [transfer(1)] });
    node.mine({ logs: [transfer(2)] });
    node.answer((method, params, answer) => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
      const isRange = method === 'eth_getLogs' && fromBlock !== toBlock;
      return isRange ? Array.from({ length: 10_001 }, () => (answer as unknown[])[0]) : answer;
    });
    expect((await readAll(sourceOf(node).source)).events).toHaveLength(2);
  });

  it('reads only blocks that are at least `minAgeSeconds` old', async () => {
    for (let block = 1; block <= 100; block++) node.mine({ logs: [transfer(block)] });
    // Block n is of the second 1 800 000 000 + n.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1000 * 1_800_000_100);
    try {
      const ends = { 0: 100, 1: 99, 2: 98, 30: 70, 63: 37, 64: 36, 65: 35, 99: 1, 100: 0, 101: -1, 1000: -1 };
      for (const [age, end] of Object.entries(ends)) {
        const { source } = sourceOf(node, { minAgeSeconds: Number(age) });
        expect(await source.open({ signal: new AbortController().signal })).toMatchObject({ end, head: 100 });
      }
      const { source } = sourceOf(node, { minAgeSeconds: 30 });
      const before = node.calls.length;
      await source.open({ signal: new AbortController().signal });
      expect(node.calls.length - before).toBeLessThan(20);
      expect((await readAll(source)).events.map(amountOf)).toEqual(Array.from({ length: 70 }, (_, at) => at + 1));
    } finally {
      clock.mockRestore();
    }
  });

  it.each([
    [{}, '`chainSource` got neither contracts nor wallets. Set `contracts` or `wallets`.'],
    [{ maxRange: 0 }, '`maxRange` must be a number of at least 1, got a number out of range.'],
    [{ confirmations: 3 }, '`chainSource` has no option `confirmations`.'],
  ])('refuses %o', (options, message) => {
    const defaults = 'contracts' in options || Object.keys(options).length === 0 ? {} : { contracts: [token] };
    const all = { rpcUrl: 'http://127.0.0.1:1', ...defaults, ...options } as never;
    expect(() => chainSource(all)).toThrow(message);
  });
});
