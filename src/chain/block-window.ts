import type { WebhookEvent } from '../events/types.js';
import type { Header } from './answers.js';

/** A processed block, and the events sent for it. */
export interface DoneBlock extends Omit<Header, 'timestamp' | 'bloom'> {
  readonly events: readonly WebhookEvent[][];
}

/** Deepest re-org that can be undone, in blocks. Re-orgs of Ethereum are less than ten blocks deep. */
const MOST_BLOCKS = 256;
const MOST_EVENTS = 50_000;

/** The last processed blocks, each the parent of the next. A re-org can undo only these. */
export class BlockWindow {
  readonly #blocks: DoneBlock[] = [];
  #events = 0;
  /** Whether older blocks were dropped. */
  isCut = false;

  constructor(
    private readonly mostBlocks = MOST_BLOCKS,
    /** Bounds memory: with many events fewer blocks are kept, but always the last one. */
    private readonly mostEvents = MOST_EVENTS,
  ) {}

  get first(): DoneBlock | undefined {
    return this.#blocks[0];
  }

  get last(): DoneBlock | undefined {
    return this.#blocks.at(-1);
  }

  at(number: number): DoneBlock | undefined {
    return this.#blocks.findLast((block) => block.number === number);
  }

  push(block: DoneBlock): void {
    this.#blocks.push(block);
    this.#events += countOf(block);
    while (this.#blocks.length > 1 && (this.#blocks.length > this.mostBlocks || this.#events > this.mostEvents)) {
      this.#events -= countOf(this.#blocks.shift() as DoneBlock);
      this.isCut = true;
    }
  }

  /** Drops the last block. Requires at least one. */
  pop(): void {
    this.#events -= countOf(this.#blocks.pop() as DoneBlock);
  }
}

function countOf({ events }: DoneBlock): number {
  return events.reduce((count, group) => count + group.length, 0);
}
