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

/** What was odd in the answers about one block. */
export interface Oddities {
  note(habit: Habit, answer: unknown): void;
  /** @throws RangeFlaw `odd` if something was odd, unless it is a habit of the chain. */
  settle(): void;
}

/** The habits of a chain, which are learnt from its answers and logged once each. */
export class Habits {
  readonly #known = new Set<Habit>();
  /** How often an odd answer came, by block and answer. */
  readonly #times = new Map<string, number>();

  constructor(private readonly logger: Logger) {}

  has(habit: Habit): boolean {
    return this.#known.has(habit);
  }

  of({ number, hash }: Pick<Header, 'number' | 'hash'>): Oddities {
    const found = new Map<Habit, string>();
    const block = `block ${number} (${hash})`;
    return {
      note: (habit, answer) => {
        if (!this.has(habit)) found.set(habit, JSON.stringify(answer));
      },
      settle: () => {
        // Another block may have shown some meanwhile.
        const odd = [...found].filter(([habit]) => !this.has(habit));
        const unsure = odd.filter(([habit, answer]) => this.#count(`${habit} ${hash} ${hashOf(answer)}`) < SURE);
        if (unsure.length > 0) {
          const what = odd.map(([habit]) => HABITS[habit][0]).join(', ');
          throw new RangeFlaw('odd', `The node sent an invalid answer: ${block} has ${what}`);
        }
        for (const [habit] of odd) {
          this.#known.add(habit);
          const [has, done] = HABITS[habit];
          this.logger.warn(
            { blockNumber: number, blockHash: hash },
            `Three answers say that ${block} has ${has}: a habit of the chain. ${done}`,
          );
        }
      },
    };
  }

  #count(answer: string): number {
    if (this.#times.size >= MOST_ANSWERS) this.#times.clear();
    const times = (this.#times.get(answer) ?? 0) + 1;
    this.#times.set(answer, times);
    return times;
  }
}

/** Runs again what failed because of an odd answer, until it may be a habit of the chain. */
export async function untilSure<Value>(run: () => Promise<Value>): Promise<Value> {
  for (let times = 1; ; times++) {
    try {
      return await run();
    } catch (error) {
      if (times === SURE || !(error instanceof RangeFlaw) || error.flaw !== 'odd') throw error;
    }
  }
}
