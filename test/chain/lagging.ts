import type { Hex } from 'viem';
import { createRandom } from '../chaos/random.js';
import { fc } from '../fixtures/property.js';
import type { Mined, ScriptedNode } from './scripted-node.js';

/** The `logsBloom` of the blocks of a chain. */
export const filters = {
  true: ({ block }: Mined) => block.logsBloom,
  zeros: () => `0x${'0'.repeat(512)}`,
  ones: () => `0x${'f'.repeat(512)}`,
  none: () => undefined,
};

/** What a chain's filters are worth, and whether its nodes offer receipts. */
export const proofs = fc.record({
  filter: fc.constantFrom<keyof typeof filters>('true', 'true', 'zeros', 'ones', 'none'),
  lacksReceipts: fc.boolean(),
});

/**
 * Answers a question about a block the first times as if the node did not have it, or those after it: `[]` or an error for
 * logs, `null` or an error for receipts, ranges that are cut.
 */
export function lag(node: ScriptedNode, seed: number, most: number): void {
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
