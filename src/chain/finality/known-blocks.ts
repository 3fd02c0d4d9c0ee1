import type { Hex } from '../../evm/types.js';
import { type Header, LONGEST_GAP } from '../answers.js';

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

/** Sets the value of a key, and forgets the oldest key when there are too many. */
export function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most = MOST_BLOCKS): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as Key);
}
