import { type Hex, padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../chaos/random.js';
import { fc } from '../fixtures/property.js';
import { adding, type OddLogs, oddLogs } from './odd-blocks.js';
import { noting, run } from './reconcile/reconciling.js';
import { createNode, type Mined, type ScriptedNode } from './scripted-node.js';
import { createRecorder, transfer, valuesOf, watch } from './watching.js';

/** The `logsBloom` of the blocks of a chain. */
const filters = {
  true: ({ block }: Mined) => block.logsBloom,
  zeros: () => `0x${'0'.repeat(512)}`,
  ones: () => `0x${'f'.repeat(512)}`,
  none: () => undefined,
};

/** What a chain's filters are worth, and whether its nodes offer receipts. */
const proofs = fc.record({
  filter: fc.constantFrom<keyof typeof filters>('true', 'true', 'zeros', 'ones', 'none'),
  lacksReceipts: fc.boolean(),
});

/**
 * Answers a question about a block the first times as if the node did not have it, or those after it: `[]` or an error for
 * logs, `null` or an error for receipts, ranges that are cut.
 */
function lag(node: ScriptedNode, seed: number, most: number): void {
  const left = new Map<string, number>();
  node.answer((method, params, answer) => {
    if (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts') return answer;
    const [first] = params as [{ blockHash?: Hex } | string];
    if (first === 'latest') return answer;
    const hash = typeof first === 'object' ? first.blockHash : first;
    // Which blocks it lacks, and how often, depends on them only: requests come in any order.
    const random = createRandom(seed + Number(BigInt(hash ?? '0x0') % 1_000_003n));
    const key = JSON.stringify([method, params]);
    const rest = left.get(key) ?? (random.chance(0.4) ? random.int(0, most) : 0);
    left.set(key, rest - 1);
    if (rest <= 0) return answer;
    if (random.chance(0.2)) throw new Error('unknown block');
    if (method === 'eth_getBlockReceipts') return random.chance(0.5) ? null : [];
    return hash ? [] : (answer as unknown[]).slice(0, random.int(0, (answer as unknown[]).length));
  });
}

const other = padHex('0xabc', { size: 20 });
const kinds = Object.keys(oddLogs) as OddLogs[];
/** Those that add logs come first: the others then change all. */
const inOrder = [...adding, ...kinds.filter((kind) => !adding.includes(kind))];

const block = fc.record({
  what: fc.constantFrom('empty', 'plain', 'other', 'token', 'both'),
  odd: fc.subarray(kinds, { maxLength: 3 }),
});
type Block = { readonly what: string; readonly odd: readonly OddLogs[] };
const seeds = fc.nat();

const nodes = [createNode(), createNode(), createNode()];
// Above the amounts of foreign logs.
let value = 1000;

function mine(node: ScriptedNode, { what, odd }: Block): void {
  const own = ['token', 'both'].includes(what) ? [transfer(++value), transfer(++value)] : [];
  const others = ['other', 'both'].includes(what) ? [transfer(0, other)] : [];
  const mined =
    what === 'empty' ? node.mine() : node.mine({ logs: own.slice(0, 1) }, {}, { logs: [...own.slice(1), ...others] });
  for (const kind of inOrder) if (odd.includes(kind)) oddLogs[kind](mined, transfer(++value));
}
const empty: Block = { what: 'empty', odd: [] };

/** The transfers of the token on the chain, with their blocks. */
function canonical({ chain }: ScriptedNode): Map<string, Mined> {
  const own = chain.flatMap((mined) =>
    mined.logs
      .filter(({ address, blockHash }) => address !== other && blockHash === mined.block.hash)
      .map((log) => [String(Number(log.data)), mined] as const),
  );
  return new Map(own);
}

/** Restarts a chain. That logs without transactions exist must be seen before one can be hidden. */
function restart(
  node: ScriptedNode,
  { filter, lacksReceipts }: { filter: keyof typeof filters; lacksReceipts: boolean },
) {
  node.answer((_, __, answer) => answer);
  node.behind();
  node.chain = node.chain.slice(0, 1);
  node.set({ bloomOf: filters[filter], lacksReceipts });
  mine(node, { what: 'token', odd: ['zero'] });
}

/** Whether a block may lack logs that the chain has, because nothing proves them. */
const isBlind = ({ filter }: { filter: string }) => filter !== 'true';

describe('a chain with any odd logs, whose nodes lag', () => {
  it('makes watchChain handle every log once, over re-orgs, unless a line says so', { timeout: 240_000 }, async () => {
    const step = fc.record({ depth: fc.nat({ max: 3 }), blocks: fc.array(block, { minLength: 1, maxLength: 4 }) });
    const lags = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 2 });
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      proofs,
      lags,
      seeds,
      async (steps, habits, behind, seed) => {
        const node = nodes[0] as ScriptedNode;
        restart(node, habits);
        const recorder = createRecorder();
        const watcher = await watch(recorder, { rpcUrl: node.url });
        const isAt = () => watcher.blockNumber >= node.chain.length - 1;
        try {
          await recorder.until(isAt);
          const random = createRandom(seed);
          // One of the nodes behind the URL answers each request.
          node.behind(() => {
            const length = Math.max(2, node.chain.length - random.pick([0, ...behind]));
            const view = { bloomOf: filters[habits.filter], lacksReceipts: habits.lacksReceipts, hidesUnknown: true };
            return { ...view, chain: node.chain.slice(0, length) };
          });
          for (const { depth, blocks } of steps) {
            node.drop(Math.min(depth, node.chain.length - 2));
            for (const each of blocks) mine(node, each);
            // A block more, so that the chain that was replaced is seen to be.
            while (node.chain.length - 1 <= watcher.blockNumber) mine(node, empty);
            await recorder.until(isAt);
          }
        } finally {
          await watcher.close();
        }
        const counts = new Map<string, number>();
        for (const each of valuesOf(recorder.groups).flat()) {
          const key = each.replace('-', '');
          counts.set(key, (counts.get(key) ?? 0) + (each === key ? 1 : -1));
        }
        const wanted = canonical(node);
        for (const [key, times] of counts) expect([0, wanted.has(key) ? 1 : 0]).toContain(times);
        const lost = [...wanted.keys()].filter((key) => counts.get(key) !== 1);
        if (!isBlind(habits)) expect(lost).toEqual([]);
        else if (lost.length > 0) {
          expect(recorder.lines.map(({ message }) => message).join()).toContain(
            'The node cannot prove which logs block',
          );
        }
        // Each habit once.
        const told = recorder.lines.filter(({ message }) => message.startsWith('Three identical answers'));
        expect(new Set(told.map(({ message }) => message.replace(/block \d+ \(\w+\)/, ''))).size).toBe(told.length);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('makes reconcile handle every log once, unless the report names the block', { timeout: 240_000 }, async () => {
    const one = fc.record({ most: fc.constantFrom(0, 1, 3, 1000), seed: seeds });
    const property = fc.asyncProperty(
      fc.array(block, { minLength: 1, maxLength: 15 }),
      proofs,
      fc.array(one, { minLength: 2, maxLength: 3 }),
      fc.constantFrom(1, 3, 1000),
      async (blocks, habits, each, maxRange) => {
        const node = nodes[0] as ScriptedNode;
        const used = nodes.slice(0, each.length);
        for (const own of nodes) restart(own, habits);
        for (const own of used) own.chain = node.chain;
        const { receiver, handled } = noting();
        const { report: first, cursor, source } = await run(used, receiver, { sourceOptions: { maxRange } });
        expect(first.to).toBe(1);
        for (const what of blocks) mine(node, what);
        for (const [at, { most, seed }] of each.entries()) {
          const own = used[at] as ScriptedNode;
          own.chain = node.chain;
          lag(own, seed, most);
        }
        const { report } = await run(used, receiver, { cursor, source });
        expect(new Set(handled).size).toBe(handled.length);
        const { unproven = [], to, stopped } = report;
        const isNamed = (number: number) => unproven.some((range) => range.from <= number && number <= range.to);
        const lost = [...canonical(node)]
          .filter(([key]) => !handled.includes(Number(key)))
          .map(([, { number }]) => number);
        expect(lost.filter((number) => number <= to && !isNamed(number))).toEqual([]);
        if (!isBlind(habits) && !habits.lacksReceipts) expect(unproven).toEqual([]);
        if (stopped) {
          expect(stopped.error?.message).toMatch(
            /^The node did not prove which logs block|unknown block|no longer has all|The node sent an invalid answer: block/,
          );
          expect(each.some(({ most }) => most > 0)).toBe(true);
        } else expect(to).toBe(node.chain.length - 1);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});
