import type { WebhookEvent } from '../events/types.js';
import type { Logger } from '../internal/logger.js';
import { malformed } from './answers.js';
import { type BlockContents, eventsOf, type OnUnknown, removalsOf } from './block-events.js';
import { BlockWindow } from './block-window.js';
import type { ChainReader } from './chain-reader.js';
import { Genesis } from './chain-reader.js';
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
  readonly #genesis: Genesis;
  #window = new BlockWindow(WINDOW, MOST_EVENTS);
  #chainId = 0;
  /** Where another chain is begun. */
  #from = 0;
  #next = 0;
  /** Whether it has been told that the node is far behind. */
  #isWaiting = false;

  constructor(private readonly options: FollowOptions) {
    this.#genesis = new Genesis(options.reader);
  }

  /** That of the chain that is followed now. */
  get chainId(): number {
    return this.#chainId;
  }

  /** The block that is to be done next. */
  get next(): number {
    return this.#next;
  }

  /** Begins with a block, or with the one behind the chain's last. */
  async start(from: number | 'latest'): Promise<void> {
    const { reader } = this.options;
    this.#chainId = await reader.chainId();
    if (from !== 'latest') {
      this.#from = from;
      this.#next = from;
      return;
    }
    const latest = await reader.header('latest');
    if (!latest) malformed('the latest block', 'one');
    await this.#genesis.remember();
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

    // Nothing is done that another chain would have to take back.
    if (!last && head >= this.#next) await this.#genesis.remember();
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
      if (await this.#genesis.isAnother()) return this.#startOver();
      const done = this.#next - 1;
      const message = `The node is at block ${head}, and ${done} is done: it is waited for.`;
      if (!this.#isWaiting) this.options.logger.warn({ head, blockNumber: done }, message);
      this.#isWaiting = true;
      return false;
    }
    this.#isWaiting = false;
    const theirs = await this.options.reader.header(head);
    // A shorter chain may be a node that lags: nothing is taken back before another block stands in its place.
    if (!theirs || theirs.hash === ours.hash) return false;
    return this.#rewind(head);
  }

  /** Takes back what was replaced; `from` is the last block that can have stayed. */
  async #rewind(from: number): Promise<boolean> {
    const { reader, logger } = this.options;
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
    const isAnother = common < first && (await this.#genesis.isAnother());
    if (isAnother === undefined) return false;
    if (isAnother) return this.#startOver();

    const fields = { fromBlock: common + 1, toBlock: this.#next - 1 };
    if (common < first && window.isCut) {
      logger.error(
        fields,
        `A re-org took back more than the last blocks, which are kept: those before block ${first} are not undone. Start anew from a block that stands.`,
      );
    } else logger.info(fields, `A re-org took back blocks ${fields.fromBlock} to ${fields.toBlock}.`);
    await this.#takeBack(common);
    return true;
  }

  /** Goes over to another chain: of the one before, nothing stands. */
  async #startOver(): Promise<boolean> {
    const { reader, logger } = this.options;
    const chainId = await reader.chainId();
    const first = this.#window.first?.number ?? this.#next;
    const done = this.#next - 1;
    const id = chainId === this.#chainId ? '' : `, and its chain id is ${chainId} instead of ${this.#chainId}`;
    const rest = this.#window.isCut ? ` Those before block ${first} are kept no longer, and are not undone.` : '';
    // Whoever acted on what is not undone has to start anew.
    logger[rest ? 'error' : 'warn'](
      { chainId, fromBlock: first, toBlock: done },
      `The node has another chain now: its block 0 is another${id}. Blocks ${first} to ${done} of the old chain are taken back, and the new one is followed from block ${this.#from}.${rest}`,
    );
    await this.#takeBack(-1);
    this.#chainId = chainId;
    this.#window = new BlockWindow(WINDOW, MOST_EVENTS);
    this.#next = this.#from;
    return true;
  }

  /** Undoes the blocks behind one, the last first. */
  async #takeBack(common: number): Promise<void> {
    const window = this.#window;
    for (let last = window.last; last && last.number > common; last = window.last) {
      for (const group of removalsOf(last.events)) await this.options.deliver(group);
      window.pop();
      this.#next = last.number;
    }
  }
}
