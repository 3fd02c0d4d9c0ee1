import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReconcileCursor } from '../../../src/chain/index.js';
import { createRandom, type Random } from '../../chaos/random.js';
import { fc } from '../../fixtures/property.js';
import { signed } from '../../helpers.js';
import { Raw, type ScriptedNode, startNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { chainId, keptCursor, noting, readAll, run, sourceOf } from './reconciling.js';

const CONFIRMATIONS = 4;
const level = { confirmations: CONFIRMATIONS };

const logs = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 });
const step = fc.oneof(
  fc.record({ do: fc.constant('mine'), logs }),
  fc.record({ do: fc.constant('fork'), depth: fc.integer({ min: 1, max: CONFIRMATIONS - 1 }), logs }),
  // What the last fork took away comes back.
  fc.record({ do: fc.constant('putBack') }),
  fc.record({ do: fc.constant('deliver'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    do: fc.constant('run'),
    lies: fc.constantFrom(0, 0.05, 0.2, 0.5),
    crashes: fc.constantFrom(0, 0.3),
    maxRange: fc.constantFrom(1, 3, 100),
  }),
);

describe('reconcile over any history', () => {
  let node: ScriptedNode;
  let behind: ScriptedNode;
  beforeAll(async () => {
    [node, behind] = [await startNode(), await startNode()];
  });
  afterAll(() => Promise.all([node.stop(), behind.stop()]));

  /** The keys of the logs of final blocks by their values, with their blocks. */
  function finalLogs(): Map<number, { key: string; block: number }> {
    const final = node.chain.slice(0, Math.max(0, node.chain.length - CONFIRMATIONS + 1));
    const all = final.flatMap(({ logs }) => logs);
    return new Map(
      all.map(({ data, blockHash, transactionHash, logIndex, blockNumber }) => {
        const key = `${chainId}:${blockHash}:${transactionHash}:${Number(logIndex)}`;
        return [Number(data), { key, block: Number(blockNumber) }];
      }),
    );
  }

  /** Makes the node lie with a probability; `behind` is another node at its URL, which is on an older chain. */
  function lie(random: Random, probability: number): void {
    let more = 0;
    node.answer(async (method, params, answer) => {
      if (more-- > 0) return ask(behind, method, params);
      if (!random.chance(probability)) return answer;
      const isRange = method === 'eth_getLogs' && (params[0] as { fromBlock?: Hex }).fromBlock !== undefined;
      const list = answer as { blockNumber: Hex }[];
      const gone = isRange ? random.pick([...new Set(list.map(({ blockNumber }) => blockNumber)), '0x0']) : '';
      const lies: (() => unknown)[] = [
        () => (isRange ? list.filter(({ blockNumber }) => blockNumber !== gone) : null),
        () => (isRange ? list.slice(0, random.int(0, list.length)) : ask(behind, method, params)),
        () => (isRange ? random.shuffle([...list, ...list]) : ask(behind, method, params)),
        () => {
          more = random.int(0, 8);
          return ask(behind, method, params);
        },
        () => new Raw('<html>', 502),
        () => new Raw('{}', 429, { 'retry-after': '0' }),
        () => Promise.reject(new Error('query returned more than 10000 results')),
      ];
      return random.pick(lies)();
    });
  }

  async function ask(other: ScriptedNode, method: string, params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await (await fetch(other.url, { method: 'POST', body })).json();
    const { result, error } = answer as { result: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  }

  it('handles exactly the logs of final blocks, and the cursor passes none that is lost', {
    timeout: 120_000,
  }, async () => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), fc.nat(), async (steps, seed) => {
      const random = createRandom(seed);
      node.answer((_, __, answer) => answer);
      node.chain = node.chain.slice(0, 1);
      behind.chain = node.chain;
      let value = 0;
      let taken: ScriptedNode['chain'] = [];
      let isBroken = true;
      const { receiver, handled } = noting({ fails: () => isBroken && random.chance(0.2) });
      const kept = keptCursor();

      const mine = (blocks: readonly number[]) => {
        for (const count of blocks) {
          node.mine(...Array.from({ length: count }, () => ({ logs: [transfer(++value)] })));
        }
      };
      const checkCursor = () => {
        const { next, retry } = kept.state;
        const listed = new Set(retry.map(([key]) => key));
        const lost = [...finalLogs()].filter(
          ([each, { key, block }]) => block < next && !handled.includes(each) && !listed.has(key),
        );
        expect(lost).toEqual([]);
      };

      /** How many blocks have been final: no re-org is deeper. */
      let deepest = 0;
      for (const each of steps) {
        deepest = Math.max(deepest, node.chain.length - CONFIRMATIONS + 1);
        if (each.do === 'mine') mine(each.logs);
        if (each.do === 'fork' && node.chain.length - each.depth >= Math.max(1, deepest)) {
          behind.chain = node.chain;
          taken = node.chain;
          node.drop(each.depth);
          mine(each.logs);
          while (node.chain.length < taken.length) mine([1]);
        }
        if (each.do === 'putBack' && taken.length > 0) {
          const common = node.chain.findIndex(({ block }, at) => taken[at]?.block.hash !== block.hash);
          if (common < 0 || common >= deepest) {
            behind.chain = node.chain;
            node.chain = taken;
            while (node.chain.length < behind.chain.length) mine([1]);
          }
          taken = [];
        }
        if (each.do === 'deliver') {
          const { events } = await readAll(sourceOf(node, { level }).source);
          const some = random.shuffle(events.filter(() => random.chance(each.share)));
          await receiver.handle(signed([...some, ...some.slice(0, 2)], { timestamp: Math.floor(Date.now() / 1000) }));
        }
        if (each.do === 'run') {
          lie(random, each.lies);
          const cursor: ReconcileCursor = {
            read: () => kept.text,
            write(next, expected) {
              if (random.chance(each.crashes)) throw new Error('killed before the write');
              const isWritten = kept.write(next, expected);
              checkCursor();
              if (random.chance(each.crashes)) throw new Error('killed after the write');
              return isWritten;
            },
          };
          await run(node, receiver, { cursor, sourceOptions: { level, maxRange: each.maxRange } });
          node.answer((_, __, answer) => answer);
          const final = finalLogs();
          expect(handled.filter((each) => !final.has(each))).toEqual([]);
        }
      }
      isBroken = false;
      const { report } = await run(node, receiver, { cursor: kept, sourceOptions: { level } });
      expect([report.stopped, report.left]).toEqual([undefined, 0]);
      expect([...handled].sort((a, b) => a - b)).toEqual([...finalLogs().keys()]);
    });
    await fc.assert(history, { numRuns: Number(process.env.RUNS ?? 100) });
  });
});
