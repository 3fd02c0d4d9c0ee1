import type { Hex } from '../../evm/types.js';
import type { Header } from '../answers.js';
import type { RpcError } from '../rpc.js';
import { type KnownBlocks, put } from './known-blocks.js';
import type { FinalityNode } from './node.js';
import type { Pace } from './pace.js';

/** How far below the tag's block parent hashes are followed. A re-org that deep does not come from a lagging node. */
const MOST_LINKS = 256;
/** Headers per request batch. */
const RUN = 8;
/** Maximum number of headers that one walk requests by hash, after the answer by number was from another fork. */
const MOST_REPAIRS = 16;
const PACE_BLOCKS = 100;
/** Replaces the hash at a number without a block. */
export const NO_BLOCK = '0x';

/**
 * The result for a block number: its final block, how many blocks are missing until it is final, or why it is unknown.
 */
export type Found = { readonly hash: Hex } | { readonly missing: number } | { readonly error: RpcError };

interface LookUpOptions {
  readonly node: FinalityNode;
  readonly known: KnownBlocks;
  readonly pace: Pace;
  /** Distance in blocks from the tag's block down to the last final one. */
  readonly depth: number;
  /** Whether the tag's block must be requested again. */
  readonly isAgain: boolean;
}

/**
 * Finds the final blocks with these numbers. The tag's block and the others may come from different nodes behind one
 * URL, so a block counts only when parent hashes link it to the tag's block. Deep below it, the node is asked twice
 * with the tag between, and both answers must be the same.
 *
 * @returns The results by number, and the number of the tag's block.
 * @throws RpcError when the tag's block cannot be read; Contradiction.
 */
export async function findFinal(
  numbers: readonly number[],
  options: LookUpOptions,
): Promise<{ readonly found: ReadonlyMap<number, Found>; readonly tagged: number }> {
  const { node, known, pace, depth } = options;
  const tagged = await node.tagged(options.isAgain);
  pace.observe(tagged);
  const last = tagged.number - depth;
  const wanted = numbers.filter((number) => number <= last && !known.final.has(number));
  const near = wanted.filter((number) => tagged.number - number <= MOST_LINKS);
  const why = near.length > 0 ? await link(tagged, Math.min(...near), last, options) : undefined;
  const deep = await lookUpDeep(
    wanted.filter((number) => tagged.number - number > MOST_LINKS),
    options,
  );
  if (!pace.isKnown && numbers.some((number) => number > last)) await measure(tagged, options);

  const found = (number: number): Found => {
    const hash = known.final.get(number);
    if (hash !== undefined) return { hash };
    if (number > last) return { missing: number - last };
    return deep.get(number) ?? { error: why as RpcError };
  };
  return { found: new Map(numbers.map((number) => [number, found(number)])), tagged: tagged.number };
}

/** Follows parent hashes from the tag's block down to block `to`; returns why it stopped early. */
async function link(tagged: Header, to: number, last: number, options: LookUpOptions): Promise<RpcError | undefined> {
  const { node, known, pace } = options;
  const asked = new Set<number>();
  let repairs = 0;
  known.addHeader(tagged);
  for (let tip = tagged; ; ) {
    if (tip.number <= last) known.addFinal(tip.number, tip.hash);
    if (tip.number <= to) return undefined;
    const below = tip.number - 1;
    const next = known.parentOf(tip);
    if (next) {
      // Skipped numbers have no block.
      for (let number = below; number > next.number; number--) if (number <= last) known.addFinal(number, NO_BLOCK);
      tip = next;
      continue;
    }
    try {
      if (!asked.has(below)) {
        await ask(runBelow(below, to, asked, known), options);
        continue;
      }
      // Another node behind the URL has a different fork at this number, or no block yet.
      const linked = ++repairs > MOST_REPAIRS ? undefined : await node.header(tip.parentHash);
      if (!linked || !known.addParent(linked, tip)) {
        throw node.error(
          `has no block ${below} that is the parent of its block ${tip.number}: it lags, or the nodes behind the URL disagree.`,
        );
      }
      pace.observe(linked);
    } catch (error) {
      // Either header may be wrong, so both are requested again next time.
      known.headers.delete(tip.number);
      known.headers.delete(below);
      return error as RpcError;
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

/** Requests headers by number. Failures are ignored: missing headers are requested by hash when needed. */
async function ask(run: readonly number[], { node, known, pace }: LookUpOptions): Promise<void> {
  for (const answer of await Promise.allSettled(run.map((number) => node.header(number)))) {
    if (answer.status !== 'fulfilled' || !answer.value) continue;
    known.addHeader(answer.value);
    pace.observe(answer.value);
  }
}

/**
 * Looks up blocks far below the tag's. First answers are kept, so that a node with a low rate limit makes progress too.
 */
async function lookUpDeep(numbers: readonly number[], options: LookUpOptions): Promise<Map<number, Found>> {
  const { node, known } = options;
  const found = new Map<number, Found>();
  if (numbers.length === 0) return found;
  const hashOf = (number: number) =>
    node.header(number).then(
      (header) => header?.hash ?? void found.set(number, { error: node.error(`has no block ${number}.`) }),
      (error: RpcError) => void found.set(number, { error }),
    );
  const first = async (number: number) => {
    const hash = known.once.get(number) ?? (await hashOf(number));
    if (hash) put(known.once, number, hash);
    return hash;
  };
  const firsts = await Promise.all(numbers.map(first));
  const tagged = await node.tagged(true);
  const seconds = await Promise.all(numbers.map((number, at) => firsts[at] && hashOf(number)));
  for (const [at, number] of numbers.entries()) {
    const hash = seconds[at];
    if (hash === undefined) continue;
    if (hash !== firsts[at]) {
      known.once.delete(number);
      found.set(number, { error: node.error(`has two blocks ${number}.`) });
    } else if (tagged.number - number > MOST_LINKS && number <= tagged.number - options.depth) {
      known.addFinal(number, hash);
      found.set(number, { hash });
    } else
      found.set(number, { error: node.error(`now has a final block ${tagged.number}, which is lower than before.`) });
  }
  return found;
}

/** Requests one more header, to measure the time between blocks. */
async function measure({ number }: Header, { node, pace }: LookUpOptions): Promise<void> {
  const earlier = await node.header(Math.max(0, number - PACE_BLOCKS)).catch(() => undefined);
  if (earlier) pace.observe(earlier);
}
