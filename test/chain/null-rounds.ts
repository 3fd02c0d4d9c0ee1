import type { Hex } from 'viem';
import { NodeError } from '../simulation/models/chain/answer.js';
import type { ScriptedNode } from './scripted-node.js';

/** What a node returns for a number without a block; `below` is the block before it. */
type Refuse = (below?: object) => object | null;

/** How nodes say that a number has no block. */
export const REFUSALS: readonly [how: string, refuse: Refuse][] = [
  ['null', () => null],
  // Forest.
  ['the block before it', (below) => below ?? null],
  [
    'an error',
    () => {
      throw new NodeError(-32000, 'requested epoch was a null round (2)');
    },
  ],
];

/** Numbers of a node's chain that have no block, as Filecoin's null rounds: the next block's parent is the one before them. */
export function nullRounds(node: ScriptedNode, numbers: readonly number[], refuse: Refuse): void {
  node.answer((method, [first], answer) => {
    if (method !== 'eth_getBlockByNumber' && method !== 'eth_getBlockByHash') return answer;
    const block = answer as { number: Hex; hash: Hex } | null;
    if (!block || node.chain[Number(block.number)]?.block.hash !== block.hash) return answer;
    const below = (number: Hex) =>
      node.chain.findLast((each) => each.number < Number(number) && !numbers.includes(each.number))?.block;
    const before = below(block.number);
    if (!numbers.includes(Number(block.number))) return before ? { ...block, parentHash: before.hash } : block;
    if (first === 'latest') return answer;
    if (method === 'eth_getBlockByHash' || !before) return refuse();
    return refuse({ ...before, parentHash: below(before.number)?.hash });
  });
}
