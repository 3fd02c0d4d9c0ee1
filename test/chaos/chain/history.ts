import { encodeEventTopics, type Hex } from 'viem';
import {
  blockOf,
  type GivenTransaction,
  type Mined,
  NO_PARENT,
  quantityOf,
  wordOf,
} from '../../simulation/models/chain/block.js';
import { token } from '../../simulation/models/chain/token.js';
import { createRandom, type Random } from '../random.js';

/** What a block brought or a re-org changed. */
export interface ChainStep {
  readonly atMs: number;
  readonly kind: 'mined' | 're-org' | 'put back';
  /** From block 0 on. */
  readonly chain: readonly Mined[];
  /** The last block that no re-org removes. */
  readonly final: number;
  /** The blocks that are now of the chain, and those that were, in ascending order. */
  readonly added: readonly Mined[];
  readonly removed: readonly Mined[];
}

/** All that a chain goes through. */
export type History = ReturnType<typeof makeHistory>;

export const CHAIN_ID = 31337;
/** The token's logs are `event.emitted`, and the transactions of the wallet `transaction.included`. */
export const TOKEN = token.address.toLowerCase() as Hex;
export const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const SOMEBODY: Hex = `0x${'99'.repeat(20)}`;
/** A contract that nobody watches. */
const UNWATCHED: Hex = `0x${'77'.repeat(20)}`;
const topics = encodeEventTopics({ abi: token.abi, args: { from: WALLET, to: SOMEBODY } }) as Hex[];

/** A block is final when so many are on top of it. */
export const FINAL_DEPTH = 6;
const DEEPEST_REORG = 4;
const STEP_MS = 100;
const BLOCKS_LATER = 40;
/** When there surely is a re-org, and when one is surely undone, as a share of the steps. */
const REORGS = [0.25, 0.5, 0.75];
const PUT_BACKS = [0.3, 0.8];

/**
 * Makes the history of a chain. The same numbers give the same history.
 *
 * @param events About how many logs of the token the final chain has.
 * @param genesisAt The time of block 0, in Unix seconds.
 */
export function makeHistory(seed: number, events: number, spreadMs: number, genesisAt: number) {
  const random = createRandom(seed ^ 0x00c4a1);
  const count = Math.max(10, Math.round(spreadMs / STEP_MS));
  const transactionsABlock = (events / count) * 0.65;
  /** A chain with another block. */
  const extended = (below: readonly Mined[], transactions: readonly GivenTransaction[]): Mined[] => {
    const second = genesisAt + below.length;
    const blockTimestamp = quantityOf(second);
    const given = transactions.map(({ logs = [], ...each }) => ({
      ...each,
      logs: logs.map((log) => ({ ...log, blockTimestamp })),
    }));
    const parent = below.at(-1)?.block.hash ?? NO_PARENT;
    return [...below, blockOf(below.length, parent, 0, given, second, `0x${random.hex(64)}`)];
  };
  const fresh = (): GivenTransaction[] => {
    const most = Math.round(2 * transactionsABlock);
    return Array.from({ length: random.int(0, most) }, () => transaction(random));
  };

  let chain: readonly Mined[] = extended([], []);
  let final = 0;
  const steps: ChainStep[] = [{ atMs: 0, kind: 'mined', chain, final, added: chain, removed: [] }];
  /** Chains that were given up. */
  const givenUp: (readonly Mined[])[] = [];

  function go(kind: ChainStep['kind'], to: readonly Mined[], atMs: number): void {
    const [added, removed] = [without(to, chain), without(chain, to)];
    if (removed.length > 0) givenUp.push(chain);
    chain = to;
    final = Math.max(final, chain.length - 1 - FINAL_DEPTH);
    steps.push({ atMs, kind, chain, final, added, removed });
  }

  function reorg(atMs: number): boolean {
    const depth = random.int(1, DEEPEST_REORG);
    if (chain.length - 1 - depth < final) return false;
    // Most transactions are mined again, in another order; some never are.
    const again = random.shuffle(chain.slice(-depth).flatMap(givenIn)).filter(() => random.chance(0.7));
    let to = chain.slice(0, -depth);
    for (let each = 0; each <= depth; each++) to = extended(to, [...again.splice(0, random.int(0, 4)), ...fresh()]);
    go('re-org', to, atMs);
    return true;
  }

  function putBack(atMs: number): boolean {
    const able = givenUp.filter((branch) => {
      const removed = without(chain, branch);
      return removed.length > 0 && removed.every(({ number }) => number > final);
    });
    if (able.length === 0) return false;
    let to = random.pick(able);
    while (to.length <= chain.length) to = extended(to, fresh());
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
    if (!done) go('mined', extended(chain, fresh()), atMs);
  }
  // Until everything is final, and then some: that a block was replaced for good, or is back, is believed much later.
  for (let each = 1; each <= FINAL_DEPTH + 1; each++) go('mined', extended(chain, []), spreadMs + each * STEP_MS);
  let to = chain;
  for (let each = 0; each < BLOCKS_LATER; each++) to = extended(to, []);
  go('mined', to, spreadMs + (FINAL_DEPTH + 2) * STEP_MS);
  return { steps };
}

function transaction(random: Random): GivenTransaction {
  const log = () => ({
    address: random.chance(0.8) ? TOKEN : UNWATCHED,
    topics,
    data: wordOf(random.int(1, 1_000_000)),
  });
  const logs = Array.from({ length: random.int(1, 3) }, log);
  const hash: Hex = `0x${random.hex(64)}`;
  return { hash, from: random.chance(0.2) ? (WALLET.toLowerCase() as Hex) : SOMEBODY, to: TOKEN, logs };
}

/** The transactions of a block, which may be mined again. */
function givenIn({ block, receipts }: Mined): GivenTransaction[] {
  return block.transactions.map(({ hash, from, to }, at) => ({ hash, from, to, logs: receipts[at]?.logs ?? [] }));
}

/** What a chain has that the other has not. */
function without(chain: readonly Mined[], other: readonly Mined[]): Mined[] {
  return chain.filter((mined) => other[mined.number] !== mined);
}
