import type { Header } from '../answers.js';

const SHORTEST_MS = 1000;
const LONGEST_MS = 5 * 60_000;
/** Ethereum's time between blocks, used until two headers are known. */
const DEFAULT_BLOCK_MS = 12_000;
/** Maximum number of blocks over which the pace is measured. */
const SPAN = 1024;

/** Limits a wait to between a second and five minutes. */
export function waitOf(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS));
}

/** Estimates the wait for blocks from the timestamps of headers. */
export class Pace {
  #low: Header | undefined;
  #high: Header | undefined;

  observe(header: Header): void {
    if (!this.#high || header.number > this.#high.number) this.#high = header;
    const isLow = !this.#low || header.number < this.#low.number || this.#high.number - this.#low.number > SPAN;
    if (isLow && this.#high.number - header.number <= SPAN) this.#low = header;
  }

  /** Whether headers with two numbers have been seen. */
  get isKnown(): boolean {
    return this.#low !== this.#high;
  }

  /** The time until a number of blocks are mined, in milliseconds. */
  timeOf(blocks: number): number {
    if (!this.isKnown) return blocks * DEFAULT_BLOCK_MS;
    const [low, high] = [this.#low as Header, this.#high as Header];
    return (blocks * 1000 * (high.timestamp - low.timestamp)) / (high.number - low.number);
  }
}
