import type { Hex } from '../../evm/types.js';
import { Contradiction, followParents, type KnownBlocks, MOST_LINKS, put } from '../ancestry.js';
import type { Header } from '../answers.js';
import type { FinalityNode } from './finality-node.js';

/** Replaces the hash at a number without a block. */
export const NO_BLOCK = '0x';

/**
 * The result for a block number: its final block, how many blocks are missing until it is final, or why it is unknown.
 */
export type Found = { readonly hash: Hex } | { readonly missing: number } | { readonly error: Error };

/**
 * Finds the final blocks with these numbers. The tag's block and the others may come from different nodes behind one
 * URL, so a block counts only when parent hashes link it to the tag's block. Deep below it, the node is asked twice
 * with the tag between, and both answers must be the same.
 *
 * @param isAgain Whether the tag's block must be requested again.
 * @returns The results by number, and the tag's block.
 * @throws RpcError when the tag's block cannot be read; Contradiction.
 */
export async function findFinal(
  numbers: readonly number[],
  node: FinalityNode,
  known: KnownBlocks,
  isAgain = false,
): Promise<{ readonly found: ReadonlyMap<number, Found>; readonly tagged: Header }> {
  const tagged = await node.end(isAgain);
  const last = tagged.number - node.tag.depth;
  const wanted = numbers.filter((number) => number <= last && !known.final.has(number));
  const near = wanted.filter((number) => tagged.number - number <= MOST_LINKS);
  const errors = new Map<number, Error>();
  if (near.length > 0) {
    const why = await link([tagged, Math.min(...near)], last, node, known);
    if (why) for (const number of near) errors.set(number, why);
  }
  const deep = wanted.filter((number) => tagged.number - number > MOST_LINKS);
  if (deep.length > 0) await lookUpDeep(deep, errors, node, known);

  const found = (number: number): Found => {
    const hash = known.final.get(number);
    if (hash !== undefined) return { hash };
    return number > last ? { missing: number - last } : { error: errors.get(number) as Error };
  };
  return { found: new Map(numbers.map((number) => [number, found(number)])), tagged };
}

/** Links final blocks to the tag's block; returns why it stopped early. */
async function link(
  range: readonly [Header, number],
  last: number,
  node: FinalityNode,
  known: KnownBlocks,
): Promise<Error | undefined> {
  try {
    await followParents(node, known, range, (block, above) => {
      // Skipped numbers have no block.
      for (let number = block.number + 1; above && number < above.number; number++) {
        if (number <= last) known.addFinal(number, NO_BLOCK);
      }
      if (block.number <= last) known.addFinal(block.number, block.hash);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Contradiction) throw error;
    return error as Error;
  }
}

/**
 * Looks up blocks far below the tag's. First answers are kept, so that a node with a low rate limit makes progress too.
 *
 * @param errors Receives why blocks are unknown.
 */
async function lookUpDeep(
  numbers: readonly number[],
  errors: Map<number, Error>,
  node: FinalityNode,
  known: KnownBlocks,
): Promise<void> {
  const each = (run: (number: number) => Promise<void>) =>
    Promise.all(numbers.map((number) => errors.has(number) || run(number).catch((error) => errors.set(number, error))));
  await each(async (number) => put(known.once, number, known.once.get(number) ?? (await node.hashAt(number))));
  const tagged = await node.end(true);
  await each(async (number) => {
    const hash = await node.hashAt(number);
    if (hash !== known.once.get(number)) {
      known.once.delete(number);
      node.fail(`has two blocks ${number}.`);
    }
    const below = tagged.number - number;
    if (below <= MOST_LINKS || below < node.tag.depth) {
      node.fail(`now has a final block ${tagged.number}, which is lower than before.`);
    }
    known.addFinal(number, hash);
  });
}
