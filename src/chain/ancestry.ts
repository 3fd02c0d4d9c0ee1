import type { Hex } from '../evm/types.js';
import { type Header, LONGEST_GAP } from './answers.js';
import type { ChainNode } from './node.js';
import { RangeFlaw } from './range-flaw.js';

/** Maximum number of headers, and of final blocks; each takes less than 300 bytes. */
const MOST_BLOCKS = 4096;

/** Blocks of one node's chain, as far as its answers have shown them. */
export class KnownBlocks {
  /** The last answers by number. They may be from different forks until they are linked. */
  readonly headers = new Map<number, Header>();
  /** Final blocks: linked by parent hashes to the level's block. */
  readonly final = new Map<number, Hex>();
  /** First answers for blocks that are requested twice. */
  readonly once = new Map<number, Hex>();

  /** @throws Contradiction when another block was final at the number. */
  addFinal(number: number, hash: Hex): void {
    const known = this.final.get(number);
    if (known === undefined) put(this.final, number, hash);
    else if (known !== hash) throw new Contradiction(number);
  }

  addHeader(header: Header): void {
    put(this.headers, header.number, header);
  }

  /** The block's parent, if it is the next lower known block. */
  parentOf({ number, parentHash }: Header): Header | undefined {
    let below: Header | undefined;
    for (let at = number - 1; at >= 0 && at >= number - LONGEST_GAP && !below; at--) below = this.headers.get(at);
    return below?.hash === parentHash ? below : undefined;
  }

  /** Adds the parent of a block and removes known blocks between them. Returns false if it cannot be the parent. */
  addParent(parent: Header, { number }: Header): boolean {
    if (parent.number >= number || number - parent.number > LONGEST_GAP) return false;
    for (let at = parent.number + 1; at < number; at++) this.headers.delete(at);
    this.addHeader(parent);
    return true;
  }
}

/** The node switched chains or reorganized final blocks, so cached answers are wrong. */
export class Contradiction extends Error {
  constructor(readonly number: number) {
    super(`A different block is now final at ${number}.`);
  }
}

/** Deepest block that is linked. A re-org that deep does not come from a lagging node. */
export const MOST_LINKS = 256;
/** Headers per request batch. */
const RUN = 8;
/** Maximum number of headers that one walk requests by hash, after the answer by number was from another fork. */
const MOST_REPAIRS = 16;

/**
 * Follows parent hashes from a block down to a number, and calls `each` with every block on the way: `from` first, and
 * the one above. Blocks come from the known headers, and from the node, whose URL may hide several nodes.
 *
 * @throws RangeFlaw `changed` if the node has no such ancestors; the error of a call.
 */
export async function followParents(
  node: ChainNode,
  known: KnownBlocks,
  [from, to]: readonly [Header, number],
  each: (block: Header, above?: Header) => void,
): Promise<void> {
  const asked = new Set<number>();
  let repairs = 0;
  known.addHeader(from);
  each(from);
  for (let tip = from; tip.number > to; ) {
    const below = tip.number - 1;
    const next = known.parentOf(tip);
    if (next) {
      each(next, tip);
      tip = next;
      continue;
    }
    try {
      if (!asked.has(below)) {
        const run = runBelow(below, to, asked, known);
        // Headers that fail are requested by hash when they are needed.
        const headers = await Promise.all(run.map((number) => node.header(number).catch(() => undefined)));
        for (const header of headers) if (header) known.addHeader(header);
        continue;
      }
      // Another node behind the URL has a different fork at this number, or no block yet.
      const linked = ++repairs > MOST_REPAIRS ? undefined : await node.header(tip.parentHash);
      if (linked && known.addParent(linked, tip)) continue;
      const what = `The node at ${node.origin} has no block ${below} that is the parent of its block ${tip.number}`;
      throw new RangeFlaw('changed', what);
    } catch (error) {
      // Either header may be wrong, so both are requested again next time.
      known.headers.delete(tip.number);
      known.headers.delete(below);
      throw error;
    }
  }
}

/** The next numbers to ask for, down to `to`. */
function runBelow(below: number, to: number, asked: Set<number>, known: KnownBlocks): number[] {
  const run: number[] = [];
  for (let number = below; number >= to && run.length < RUN; number--) {
    if (asked.has(number) || (number !== below && known.headers.has(number))) continue;
    asked.add(number);
    run.push(number);
  }
  return run;
}

/** Sets the value of a key, and forgets the oldest key when there are too many. */
export function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most = MOST_BLOCKS): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as Key);
}
