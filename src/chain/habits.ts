import { hashOf } from '../evm/keccak.js';
import type { Logger } from '../internal/logger.js';
import { RangeFlaw } from './range-flaw.js';

/** Properties of some chains that Ethereum does not have, with the log message for each. */
const HABITS = {
  foreign: ['logs of other blocks', 'They are left out.'],
  repeated: ['a log more than once', 'Duplicates are ignored.'],
  removed: ['logs that are marked as removed', 'They count as logs of the block.'],
  transaction: ['logs of transactions that it does not list', 'Their events have no `data.transaction`.'],
  order: ['a `logIndex` that starts again', 'Logs are ordered by transaction.'],
  sender: ['transactions without a sender', 'They do not count as transactions of `wallets`.'],
  filter: ['a bloom filter that does not match its logs', 'Filters of this chain are not used.'],
} as const;

type Habit = keyof typeof HABITS;

/**
 * The third identical answer about a block shows that the property belongs to the chain and is not an error of one
 * answer.
 */
const SURE = 3;
/** Bounds memory when answers about a block keep changing. */
const MOST_ANSWERS = 1000;

/** The odd answers about one block, by habit. */
export type Oddities = Map<Habit, unknown>;

/** The habits of a chain, learned from its answers. Each is logged once. */
export class Habits {
  readonly #known = new Set<Habit>();
  /** How often an odd answer came, by block and answer. */
  readonly #times = new Map<string, number>();
  /** Whether a block was accepted that the node can never prove. */
  hasUnprovable = false;

  constructor(private readonly logger: Logger) {}

  has(habit: Habit): boolean {
    return this.#known.has(habit);
  }

  /** @throws RangeFlaw `odd` if the answer is odd and the chain does not have this habit. */
  settle({ number, hash }: { readonly number: number; readonly hash: string }, oddities: Oddities): void {
    const block = `block ${number} (${hash})`;
    const odd = [...oddities].filter(([habit]) => !this.has(habit));
    const keys = odd.map(([habit, answer]) => `${habit} ${hash} ${hashOf(JSON.stringify(answer))}`);
    if (keys.filter((key) => this.#count(key) < SURE).length > 0) {
      const what = odd.map(([habit]) => HABITS[habit][0]).join(', ');
      throw new RangeFlaw('odd', `The node sent an invalid answer: ${block} has ${what}`);
    }
    for (const [habit] of odd) {
      this.#known.add(habit);
      const [has, done] = HABITS[habit];
      const message = `Three identical answers: ${block} has ${has}. Accepted as normal for this chain. ${done}`;
      this.logger.warn({ blockNumber: number, blockHash: hash }, message);
    }
  }

  /** Warns once of blocks that the node can never prove. */
  warnUnprovable({ number, hash }: { readonly number: number; readonly hash: string }): void {
    if (this.hasUnprovable) return;
    this.hasUnprovable = true;
    this.logger.warn(
      { blockNumber: number, blockHash: hash },
      `The node cannot prove which logs block ${number} (${hash}) has: bloom filters of this chain cannot be used, and eth_getBlockReceipts is not offered, or lacks some logs. These blocks are accepted without proof, so a lagging node may hide their events. Use a node whose eth_getBlockReceipts returns all logs.`,
    );
  }

  #count(answer: string): number {
    if (this.#times.size >= MOST_ANSWERS) this.#times.clear();
    const times = (this.#times.get(answer) ?? 0) + 1;
    this.#times.set(answer, times);
    return times;
  }
}

/** Retries an operation that failed because of an odd answer, until the answer counts as a habit. */
export async function untilSure<Value>(run: () => Promise<Value>): Promise<Value> {
  for (let times = 1; ; times++) {
    try {
      return await run();
    } catch (error) {
      if (times === SURE || !(error instanceof RangeFlaw) || error.flaw !== 'odd') throw error;
    }
  }
}
