import { type Hex, padHex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Mined, type ScriptedNode, startNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { noting, run } from './reconciling.js';

let nodes: ScriptedNode[];
let node: ScriptedNode;
let second: ScriptedNode;
beforeEach(async () => {
  nodes = await Promise.all([startNode(), startNode()]);
  [node, second] = nodes as [ScriptedNode, ScriptedNode];
});
afterEach(() => Promise.all(nodes.map((each) => each.stop())));

const other = padHex('0xabc', { size: 20 });
const [zeros, _ones] = ['0', 'f'].map((digit) => `0x${digit.repeat(512)}`);
const blooms: [string, unknown][] = [
  ['zeros', zeros],
  ['no filters', undefined],
];
const all = [1, 2, 3];

/** Blocks 1, 3 and 5 have a transfer, 2 and 4 another log, 6 and 7 transactions without logs, 8 none. */
function mineAll(): void {
  for (const value of all) {
    node.mine({ logs: [transfer(value)] });
    if (value < 3) node.mine({ logs: [transfer(9, other)] });
  }
  node.mine({});
  node.mine({});
  node.mine();
  second.chain = node.chain;
}

/** Answers as if it did not have a block and those after it, the first `times` that it is asked about their logs. */
function lag(each: ScriptedNode, from: number, times: number): void {
  const asked = new Map<string, number>();
  each.answer((method, params, answer) => {
    const [first] = params as [{ blockHash?: Hex; fromBlock?: Hex } | Hex];
    const hash = typeof first === 'object' ? first.blockHash : first;
    const isRange = typeof first === 'object' && first.fromBlock !== undefined;
    const isAbout = method === 'eth_getLogs' || method === 'eth_getBlockReceipts';
    if (!isAbout || !(isRange || each.chain.slice(from).some(({ block }) => block.hash === hash))) return answer;
    const key = JSON.stringify([method, params]);
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    if (before >= times) return answer;
    if (method === 'eth_getBlockReceipts') return null;
    return (answer as { blockNumber: Hex }[]).filter(({ blockNumber }) => Number(blockNumber) < from);
  });
}

const _requests = (each = node) => {
  const counts: Record<string, number> = {};
  for (const { method } of each.calls) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
};

describe.each([1, 3, 1000])('chainSource with ranges of %i blocks', (maxRange) => {
  it.each([...blooms, ['true filters', 'true'] as const])(
    'reads every event from a node that lags, with %s, with and without receipts',
    async (_, bloom) => {
      mineAll();
      for (const lacksReceipts of [false, true]) {
        node.set({ bloomOf: ({ block }) => (bloom === 'true' ? block.logsBloom : bloom), lacksReceipts });
        lag(node, 3, 1);
        const { receiver, handled } = noting();
        const { report } = await run(node, receiver, { sourceOptions: { maxRange } });
        expect([handled, report.stopped, report.to]).toEqual([all, undefined, 8]);
        const isSure = bloom === 'true' || !lacksReceipts;
        expect(report.unproven).toEqual(isSure ? undefined : [{ from: 6, to: 7 }]);
      }
    },
  );

  it('stops before a block of which no node proves the logs, and names it', async () => {
    mineAll();
    for (const each of nodes) lag(each, 3, 1000);
    const { receiver, handled } = noting();
    const { report } = await run(nodes, receiver, { sourceOptions: { maxRange } });
    expect([handled, report.to, report.stopped?.reason]).toEqual(
      maxRange === 1000 ? [[], -1, 'source'] : [[1], 2, 'source'],
    );
    const { hash } = (node.chain[3] as Mined).block;
    expect(report.stopped?.error?.message).toBe(
      `The node did not prove which logs block 3 (${hash}) has. It may not have the block yet. If this persists, use another node, or one that offers eth_getBlockReceipts.`,
    );
  });
});

describe('chainSource on a chain with neither bloom filters nor receipts', () => {
  it.each(blooms)('asks every node, warns once and names the blocks: %s', async (_, bloom) => {
    mineAll();
    for (const each of nodes) each.set({ bloomOf: () => bloom, lacksReceipts: true });
    const { receiver, handled } = noting();
    const { report, lines } = await run(nodes, receiver, { sourceOptions: { maxRange: 3 } });
    expect([handled, report.unproven, report.stopped]).toEqual([all, [{ from: 6, to: 7 }], undefined]);
    expect(lines.filter(({ message }) => message.startsWith('The node cannot prove which logs block 6 '))).toHaveLength(
      1,
    );
    for (const each of nodes) {
      const about = each.calls.filter(({ params }) => JSON.stringify(params).includes(node.chain[6]?.block.hash ?? ''));
      expect(about.length).toBeGreaterThan(1);
    }
  });
});
