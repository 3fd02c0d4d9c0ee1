import type { WebhookEvent } from '../../events.js';
import type { Logger } from '../../logger.js';
import { malformed } from './answers.js';
import { type BlockContents, eventsOf, type OnUnknown, removalsOf } from './block-events.js';
import { BlockWindow } from './block-window.js';
import type { ChainReader } from './chain-reader.js';
import type { Watched } from './settings.js';

/** So many blocks are asked for at a time. */
const RANGE = 8;
/** So deep a re-org can be undone; one of Ethereum is under ten blocks deep. */
const WINDOW = 256;
const MOST_EVENTS = 50_000;

export interface FollowOptions {
  readonly reader: ChainReader;
  readonly watched: Watched;
  readonly logger: Logger;
  readonly onUnknown: OnUnknown;
  /** Resolves when the events are taken; rejects when it is not worth to go on. */
  readonly deliver: (events: readonly WebhookEvent[]) => Promise<void>;
}

/** Goes along a chain, block after block, and back where it was replaced. */
export class ChainFollower {
  readonly #window = new BlockWindow(WINDOW, MOST_EVENTS);
  #next = 0;

  constructor(private readonly options: FollowOptions) {}

  /** The block that is to be done next. */
  get next(): number {
    return this.#next;
  }

  /** Begins with a block, or with the one behind the chain's last. */
  async start(from: number | 'latest'): Promise<void> {
    if (from !== 'latest') {
      this.#next = from;
      return;
    }
    const latest = await this.options.reader.header('latest');
    if (!latest) malformed('the latest block', 'one');
    // Nothing was sent of it, but what takes its place is news.
    this.#window.push({ ...latest, events: [] });
    this.#next = latest.number + 1;
  }

  /** Does what the chain has to do now. Whether it has more is what it gives. */
  async advance(): Promise<boolean> {
    const { reader } = this.options;
    const head = await reader.head();
    const { last } = this.#window;
    if (last && head <= last.number) return this.#compare(head);

    const end = Math.min(head, this.#next + RANGE - 1);
    const coming: Promise<BlockContents | undefined>[] = [];
    for (let number = this.#next; number <= end; number++) coming.push(reader.contents(number));
    // The failure of one is told when it is its turn; those before it are done.
    for (const each of coming) each.catch(() => {});
    for (const each of coming) {
      const contents = await each;
      // Another node behind the same address may not have it yet.
      if (!contents) return false;
      const tip = this.#window.last;
      if (tip && contents.block.parentHash !== tip.hash) return this.#rewind(tip.number);
      await this.#do(contents);
    }
    return end < head;
  }

  async #do(contents: BlockContents): Promise<void> {
    const { watched, onUnknown, deliver } = this.options;
    const events = eventsOf(contents, watched, onUnknown);
    for (const group of events) await deliver(group);
    const { number, hash, parentHash } = contents.block;
    this.#window.push({ number, hash, parentHash, events });
    this.#next = number + 1;
  }

  /** A chain that has not grown may still be another one. */
  async #compare(head: number): Promise<boolean> {
    const ours = this.#window.at(head);
    if (!ours) {
      const fields = { head, blockNumber: this.#next - 1 };
      this.options.logger.warn(
        fields,
        `The node is at block ${head}, and ${this.#next - 1} is done: it is waited for.`,
      );
      return false;
    }
    const theirs = await this.options.reader.header(head);
    // A shorter chain may be a node that lags: nothing is taken back before another block stands in its place.
    if (!theirs || theirs.hash === ours.hash) return false;
    return this.#rewind(head);
  }

  /** Takes back what was replaced; `from` is the last block that can have stayed. */
  async #rewind(from: number): Promise<boolean> {
    const { reader, logger, deliver } = this.options;
    const window = this.#window;
    const first = window.first?.number ?? this.#next;
    let common = from;
    for (; common >= first; common--) {
      const theirs = await reader.header(common);
      if (!theirs) return false;
      if (theirs.hash === window.at(common)?.hash) break;
    }
    // The nodes behind one address may not agree yet.
    if (common === window.last?.number) return false;

    const fields = { fromBlock: common + 1, toBlock: this.#next - 1 };
    if (common < first && window.isCut) {
      logger.error(
        fields,
        `A re-org took back more than the last blocks, which are kept: those before block ${first} are not undone. Start anew from a block that stands.`,
      );
    } else logger.info(fields, `A re-org took back blocks ${fields.fromBlock} to ${fields.toBlock}.`);
    for (let last = window.last; last && last.number > common; last = window.last) {
      for (const group of removalsOf(last.events)) await deliver(group);
      window.pop();
      this.#next = last.number;
    }
    return true;
  }
}
