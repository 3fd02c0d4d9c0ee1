import type { WebhookEvent } from '../events/types.js';
import type { Header } from './answers.js';

/** A block that is done, and what was sent of it. */
export interface DoneBlock extends Header {
  readonly events: readonly WebhookEvent[][];
}

/** The last blocks that are done, one upon the other: what a re-org can still take back. */
export class BlockWindow {
  readonly #blocks: DoneBlock[] = [];
  #events = 0;
  #isCut = false;

  constructor(
    private readonly mostBlocks: number,
    /** Blocks with many events are kept for less long, so that memory is bounded; the last one is always kept. */
    private readonly mostEvents: number,
  ) {}

  /** Whether there were blocks before its first. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get first(): DoneBlock | undefined {
    return this.#blocks[0];
  }

  get last(): DoneBlock | undefined {
    return this.#blocks.at(-1);
  }

  at(number: number): DoneBlock | undefined {
    return this.#blocks[number - (this.first?.number ?? number)];
  }

  push(block: DoneBlock): void {
    this.#blocks.push(block);
    this.#events += countOf(block);
    while (this.#blocks.length > 1 && (this.#blocks.length > this.mostBlocks || this.#events > this.mostEvents)) {
      this.#events -= countOf(this.#blocks.shift() as DoneBlock);
      this.#isCut = true;
    }
  }

  pop(): void {
    const block = this.#blocks.pop();
    if (block) this.#events -= countOf(block);
  }
}

function countOf({ events }: DoneBlock): number {
  return events.reduce((count, group) => count + group.length, 0);
}
