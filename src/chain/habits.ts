import { hashOf } from '../evm/keccak.js';
import type { Logger } from '../internal/logger.js';
import type { Header } from './answers.js';
import { RangeFlaw } from './range-flaw.js';

/** What blocks of some chains have that those of Ethereum do not, and what is done about it. */
const HABITS = {
  foreign: ['logs of other blocks', 'They are left out.'],
  repeated: ['a log more than once', 'Each is taken once.'],
  removed: ['logs that the node calls removed', 'They count as logs of the block.'],
  transaction: ['logs of transactions that it does not list', 'Their events have no `data.transaction`.'],
  order: ['a `logIndex` that starts again', 'The order of the transactions counts.'],
  sender: ['transactions without a sender', 'They count as those of other accounts than `wallets`.'],
  filter: ['a bloom filter that is not that of its logs', 'Filters of this chain are not used.'],
} as const;

type Habit = keyof typeof HABITS;

/** A third identical answer about a block shows that it is a habit of the chain, and no fault of the answer. */
const SURE = 3;
/** Bounds memory: answers about a block may differ each time. */
const MOST_ANSWERS = 1000;

/** What was odd in the answers about one block: the answers, by habit. */
export type Oddities = Map<Habit, unknown>;

/** The habits of a chain, which are learnt from its answers and logged once each. */
export class Habits {
  readonly #known = new Set<Habit>();
  /** How often an odd answer came, by block and answer. */
  readonly #times = new Map<string, number>();

  constructor(private readonly logger: Logger) {}

  has(habit: Habit): boolean {
    return this.#known.has(habit);
  }

  /** @throws RangeFlaw `odd` if something was odd, unless it is a habit of the chain. */
  settle({ number, hash }: Pick<Header, 'number' | 'hash'>, oddities: Oddities): void {
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
      const message = `Three answers say that ${block} has ${has}: a habit of the chain. ${done}`;
      this.logger.warn({ blockNumber: number, blockHash: hash }, message);
    }
  }

  #count(answer: string): number {
    if (this.#times.size >= MOST_ANSWERS) this.#times.clear();
    const times = (this.#times.get(answer) ?? 0) + 1;
    this.#times.set(answer, times);
    return times;
  }
}

/** Repeats what failed because of an odd answer, until the answer counts as a habit of the chain. */
export async function untilSure<Value>(run: () => Promise<Value>): Promise<Value> {
  for (let times = 1; ; times++) {
    try {
      return await run();
    } catch (error) {
      if (times === SURE || !(error instanceof RangeFlaw) || error.flaw !== 'odd') throw error;
    }
  }
}
