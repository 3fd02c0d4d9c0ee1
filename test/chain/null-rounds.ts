import type { Hex } from 'viem';
import { NodeError } from '../simulation/models/chain/answer.js';
import type { ScriptedNode } from './scripted-node.js';

/** How nodes say that a number has no block. */
export const REFUSALS: readonly [how: string, refuse: () => null][] = [
  ['null', () => null],
  [
    'an error',
    () => {
      throw new NodeError(-32000, 'requested epoch was a null round (2)');
    },
  ],
];

/** Numbers of a node's chain that have no block, as Filecoin's null rounds: the next block's parent is the one before them. */
export function nullRounds(node: ScriptedNode, numbers: readonly number[], refuse: () => null): void {
  node.answer((method, [first], answer) => {
    if (method !== 'eth_getBlockByNumber' && method !== 'eth_getBlockByHash') return answer;
    const block = answer as { number: Hex; hash: Hex } | null;
    if (!block || node.chain[Number(block.number)]?.block.hash !== block.hash) return answer;
    if (numbers.includes(Number(block.number))) return first === 'latest' ? answer : refuse();
    let below = Number(block.number) - 1;
    while (numbers.includes(below)) below--;
    return below < 0 ? block : { ...block, parentHash: node.chain[below]?.block.hash };
  });
}
