import { type Hex, padHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc } from '../fixtures/property.js';
import { filters, lag, proofs } from './lagging.js';
import { noting, run } from './reconcile/reconciling.js';
import { type Mined, type ScriptedNode, startNode } from './scripted-node.js';
import { createRecorder, transfer, valuesOf, watch } from './watching.js';

const other = padHex('0xabc', { size: 20 });
/** What a block has: nothing, a transaction without logs, logs of another contract, of the token, or of both. */
const block = fc.constantFrom('empty', 'plain', 'other', 'token', 'both');
/** How often a node answers a question as if it did not have the block. */
const lags = fc.constantFrom(0, 1, 3, 1000);
const seeds = fc.nat();

let nodes: ScriptedNode[];
let value = 0;
beforeAll(async () => {
  nodes = await Promise.all([startNode(), startNode(), startNode()]);
});
afterAll(() => Promise.all(nodes.map((node) => node.stop())));

function mine(node: ScriptedNode, what: string): void {
  if (what === 'empty') node.mine();
  else {
    const own = ['token', 'both'].includes(what) ? [transfer(++value)] : [];
    node.mine({ logs: [...own, ...(['other', 'both'].includes(what) ? [transfer(0, other)] : [])] }, {});
  }
}

const amountIn = ({ data }: { data: Hex }) => String(Number(data));

/** The transfers of the token on the chain, with the hashes of their blocks. */
function canonical({ chain }: ScriptedNode): Map<string, Mined> {
  const own = chain.flatMap((mined) =>
    mined.logs.filter(({ address }) => address !== other).map((log) => [amountIn(log), mined] as const),
  );
  return new Map(own);
}

describe('a node that answers as if it did not have a block', () => {
  it('makes watchChain lose no event, and send none twice, unless a line says so', { timeout: 120_000 }, async () => {
    const step = fc.record({ depth: fc.nat({ max: 3 }), blocks: fc.array(block, { minLength: 1, maxLength: 4 }) });
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      proofs,
      lags,
      seeds,
      async (steps, { filter, lacksReceipts }, most, seed) => {
        const node = nodes[0] as ScriptedNode;
        node.chain = node.chain.slice(0, 1);
        node.set({ bloomOf: filters[filter], lacksReceipts });
        lag(node, seed, most);
        const recorder = createRecorder();
        const watcher = await watch(recorder, { rpcUrl: node.url });
        const isAt = () => watcher.blockNumber >= node.chain.length - 1;
        const isStuck = () => recorder.lines.some(({ level }) => level === 'error');
        try {
          for (const { depth, blocks } of steps) {
            node.drop(Math.min(depth, node.chain.length - 1));
            for (const each of blocks) mine(node, each);
            // A block more, so that the chain that was replaced is seen to be.
            while (node.chain.length - 1 <= watcher.blockNumber) mine(node, 'empty');
            await recorder.until(() => isAt() || isStuck());
            if (isStuck()) break;
          }
        } finally {
          await watcher.close();
        }
        const counts = new Map<string, number>();
        for (const each of valuesOf(recorder.groups).flat()) {
          const key = each.replace('-', '');
          counts.set(key, (counts.get(key) ?? 0) + (each === key ? 1 : -1));
        }
        const named = recorder.lines.map(({ message }) => message).join();
        const wanted = canonical(node);
        // A re-org is undone once the block after it can be read.
        const isReplaced = isStuck() && steps.some(({ depth }) => depth > 0);
        for (const [key, times] of counts) expect([0, isReplaced || wanted.has(key) ? 1 : 0]).toContain(times);
        const lost = [...wanted].filter(([key]) => counts.get(key) !== 1).map(([, mined]) => mined);
        if (isStuck()) {
          const first = recorder.lines.find(({ level }) => level === 'error');
          expect(first?.message).toMatch(
            /^(The node did not prove which logs block|eth_getLogs at .* "unknown block")/,
          );
          expect(isReplaced || lost.every(({ number }) => number > watcher.blockNumber)).toBe(true);
          expect(most).toBeGreaterThan(0);
        } else if (filter === 'true' || !lacksReceipts) expect(lost).toEqual([]);
        else if (lost.length > 0) expect(named).toContain('The node cannot prove which logs block');
        // Nothing is said of a node that has all.
        if (most === 0 && !lacksReceipts) {
          expect(recorder.lines.filter(({ level }) => level !== 'info')).toEqual([]);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('makes reconcile lose no event, and handle none twice, unless the report names the block', {
    timeout: 120_000,
  }, async () => {
    const one = fc.record({ habits: proofs, most: lags, seed: seeds });
    const property = fc.asyncProperty(
      fc.array(block, { minLength: 1, maxLength: 15 }),
      fc.array(one, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 3, 1000),
      async (blocks, each, maxRange) => {
        const node = nodes[0] as ScriptedNode;
        node.chain = node.chain.slice(0, 1);
        for (const what of blocks) mine(node, what);
        const used = nodes.slice(0, each.length);
        for (const [at, { habits, most, seed }] of each.entries()) {
          const own = used[at] as ScriptedNode;
          own.chain = node.chain;
          own.set({ bloomOf: filters[habits.filter], lacksReceipts: habits.lacksReceipts });
          lag(own, seed, most);
        }
        const { receiver, handled } = noting();
        const { report, lines } = await run(used, receiver, { sourceOptions: { maxRange } });
        expect(new Set(handled).size).toBe(handled.length);
        const { unproven = [], to, stopped } = report;
        const lost = [...canonical(node)]
          .filter(([key]) => !handled.includes(Number(key)))
          .map(([, { number }]) => number);
        const isNamed = (number: number) => unproven.some((range) => range.from <= number && number <= range.to);
        expect(lost.filter((number) => number <= to && !isNamed(number))).toEqual([]);
        if (stopped) {
          expect(stopped.error?.message).toMatch(
            /^The node did not prove which logs block|unknown block|no longer has all/,
          );
          expect(each.some(({ most }) => most > 0)).toBe(true);
        } else expect(to).toBe(node.chain.length - 1);
        if (each.every(({ habits }) => habits.filter === 'true')) {
          expect(lost.filter((number) => number <= to)).toEqual([]);
        }
        const isSure = each.every(({ habits }) => !habits.lacksReceipts);
        if (isSure) expect(unproven).toEqual([]);
        if (isSure && each.every(({ most }) => most === 0)) {
          expect(lines.filter(({ message }) => !message.includes('bloom filter excludes'))).toEqual([]);
        }
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});
