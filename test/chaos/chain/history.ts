import { createRandom, type Random } from '../random.js';

/** A transaction: it may be mined again in another block after a re-org. */
export interface ChainTransaction {
  readonly hash: string;
  /** A transaction of the wallet is a `transaction.included`. */
  readonly isOfWallet: boolean;
  /** Its logs, of the token or of a contract that nobody watches. */
  readonly logs: readonly { readonly isOfToken: boolean; readonly amount: number }[];
}

export interface ChainBlock {
  readonly number: number;
  readonly hash: string;
  readonly parent: ChainBlock | undefined;
  /** In Unix seconds. */
  readonly timestamp: number;
  readonly transactions: readonly ChainTransaction[];
}

/** What a block brought or a re-org changed. */
export interface ChainStep {
  readonly atMs: number;
  readonly kind: 'mined' | 're-org' | 'put back';
  readonly head: ChainBlock;
  /** The last block that no re-org removes. */
  readonly final: number;
  /** The blocks that are now of the chain, and those that were, in ascending order. */
  readonly added: readonly ChainBlock[];
  readonly removed: readonly ChainBlock[];
}

/** All that a chain goes through. */
export interface History {
  readonly steps: readonly ChainStep[];
}

export interface HistorySettings {
  readonly seed: number;
  /** About how many logs of the token the final chain has. */
  readonly events: number;
  readonly spreadMs: number;
  /** The time of block 0, in Unix seconds. */
  readonly genesisAt: number;
}

/** A block is final when so many are on top of it. */
export const FINAL_DEPTH = 6;
const DEEPEST_REORG = 4;
const STEP_MS = 100;
const BLOCKS_LATER = 40;
/** When there surely is a re-org, and when one is surely undone, as a share of the steps. */
const REORGS = [0.25, 0.5, 0.75];
const PUT_BACKS = [0.3, 0.8];

/** Makes the history of a chain. The same numbers give the same history, in any process. */
export function makeHistory({ seed, events, spreadMs, genesisAt }: HistorySettings): History {
  const random = createRandom(seed ^ 0x00c4a1);
  const count = Math.max(10, Math.round(spreadMs / STEP_MS));
  const transactionsABlock = (events / count) * 0.65;
  const block = (parent: ChainBlock | undefined, transactions: readonly ChainTransaction[]): ChainBlock => {
    const number = parent ? parent.number + 1 : 0;
    return { number, hash: `0x${random.hex(64)}`, parent, timestamp: genesisAt + number, transactions };
  };
  const fresh = (): ChainTransaction[] => {
    const most = Math.round(2 * transactionsABlock);
    return Array.from({ length: random.int(0, most) }, () => transaction(random));
  };

  let head = block(undefined, []);
  let final = 0;
  const steps: ChainStep[] = [{ atMs: 0, kind: 'mined', head, final, added: [head], removed: [] }];
  /** The last blocks of chains that were given up. */
  const givenUp: ChainBlock[] = [];

  function go(kind: ChainStep['kind'], to: ChainBlock, atMs: number): void {
    const [added, removed] = between(head, to);
    if (removed.length > 0) givenUp.push(head);
    head = to;
    final = Math.max(final, head.number - FINAL_DEPTH);
    steps.push({ atMs, kind, head, final, added, removed });
  }

  function reorg(atMs: number): boolean {
    const depth = random.int(1, DEEPEST_REORG);
    if (head.number - depth < final) return false;
    const [fork, removed] = ancestor(head, depth);
    // Most transactions are mined again, in another order; some never are.
    const again = random.shuffle(removed.flatMap(({ transactions }) => transactions)).filter(() => random.chance(0.7));
    let to = fork;
    for (let each = 0; each <= depth; each++) to = block(to, [...again.splice(0, random.int(0, 4)), ...fresh()]);
    go('re-org', to, atMs);
    return true;
  }

  function putBack(atMs: number): boolean {
    const able = givenUp.filter((tip) => {
      const [, removed] = between(head, tip);
      return removed.length > 0 && removed.every(({ number }) => number > final);
    });
    if (able.length === 0) return false;
    let to = random.pick(able);
    while (to.number <= head.number) to = block(to, fresh());
    go('put back', to, atMs);
    return true;
  }

  const isAt = (shares: readonly number[], index: number) =>
    shares.some((share) => Math.floor(share * count) === index);
  for (let index = 1; index <= count; index++) {
    const atMs = (index / count) * spreadMs;
    const done =
      (isAt(REORGS, index) && reorg(atMs)) ||
      (isAt(PUT_BACKS, index) && putBack(atMs)) ||
      (random.chance(0.12) && reorg(atMs)) ||
      (random.chance(0.1) && putBack(atMs));
    if (!done) go('mined', block(head, fresh()), atMs);
  }
  // Until everything is final, and then some: that a block was replaced for good, or is back, is believed much later.
  for (let each = 1; each <= FINAL_DEPTH + 1; each++) go('mined', block(head, []), spreadMs + each * STEP_MS);
  let to = head;
  for (let each = 0; each < BLOCKS_LATER; each++) to = block(to, []);
  go('mined', to, spreadMs + (FINAL_DEPTH + 2) * STEP_MS);
  return { steps };
}

function transaction(random: Random): ChainTransaction {
  const log = () => ({ isOfToken: random.chance(0.8), amount: random.int(1, 1_000_000) });
  const logs = Array.from({ length: random.int(1, 3) }, log);
  return { hash: `0x${random.hex(64)}`, isOfWallet: random.chance(0.2), logs };
}

/** The block so many below, and those above it in ascending order. */
function ancestor(head: ChainBlock, depth: number): [ChainBlock, ChainBlock[]] {
  const above: ChainBlock[] = [];
  let at = head;
  while (above.length < depth && at.parent) {
    above.unshift(at);
    at = at.parent;
  }
  return [at, above];
}

/** The blocks of a chain up to its head, by number. */
export function chainOf(head: ChainBlock): ChainBlock[] {
  return [...ancestor(head, Number.POSITIVE_INFINITY)].flat();
}

/** What a chain has that the other has not, both ways. */
function between(from: ChainBlock, to: ChainBlock): [added: ChainBlock[], removed: ChainBlock[]] {
  const [old, now] = [new Set(chainOf(from)), new Set(chainOf(to))];
  return [[...now].filter((block) => !old.has(block)), [...old].filter((block) => !now.has(block))];
}
