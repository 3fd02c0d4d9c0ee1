import type { WebhookEvent } from '../events/types.js';
import type { Logger } from '../internal/logger.js';
import { malformed } from './answers.js';
import { type BlockContents, eventsOf, type OnUnknown, removalsOf } from './block-events.js';
import { BlockWindow, type DoneBlock } from './block-window.js';
import type { ChainReader } from './chain-reader.js';
import { Genesis } from './chain-reader.js';
import { unprovable, unproven } from './evidence.js';
import type { Watched } from './watched.js';

/** Number of blocks requested at a time. */
const RANGE = 8;
/** How often a block whose logs are not proven is asked for before that is logged. */
const TRIES = 5;

export interface FollowOptions {
  readonly reader: ChainReader;
  readonly watched: Watched;
  readonly logger: Logger;
  readonly onUnknown: OnUnknown;
  /** Resolves when the events were accepted; rejects when the watcher is closing. */
  readonly deliver: (events: readonly WebhookEvent[]) => Promise<void>;
}

/** Processes a chain block by block, and undoes the blocks that a re-org replaced. */
export class ChainFollower {
  readonly #genesis: Genesis;
  #window = new BlockWindow();
  #chainId = 0;
  /** Where another chain is started. */
  #from = 0;
  #next = 0;
  /** Whether a warning that the node is behind was logged. */
  #isWaiting = false;
  /** How often the next block was not proven. */
  #unproven = 0;
  /** Whether a warning that logs cannot be proven was logged. */
  #hasWarned = false;

  constructor(private readonly options: FollowOptions) {
    this.#genesis = new Genesis(options.reader);
  }

  /** ID of the current chain. */
  get chainId(): number {
    return this.#chainId;
  }

  /** The next block to process. */
  get next(): number {
    return this.#next;
  }

  /** Starts with a block, or after the chain's last block. */
  async start(from: number | 'latest'): Promise<void> {
    const { reader } = this.options;
    this.#chainId = await reader.chainId();
    if (from !== 'latest') {
      this.#from = from;
      this.#next = from;
      return;
    }
    const latest = await reader.header('latest');
    if (!latest) malformed('the latest block', 'a block');
    await this.#genesis.remember();
    // Nothing was sent for it, but the block that replaces it is new.
    this.#window.push({ ...latest, events: [] });
    this.#next = latest.number + 1;
  }

  /** Processes the next blocks. Returns whether there are more. */
  async advance(): Promise<boolean> {
    const { reader } = this.options;
    const head = await reader.head();
    const { last } = this.#window;
    if (last && head <= last.number) return this.#compare(head);

    // Nothing was sent yet that another chain would undo.
    if (!last && head >= this.#next) await this.#genesis.remember();
    const end = Math.min(head, this.#next + RANGE - 1);
    const coming: Promise<BlockContents | undefined>[] = [];
    for (let number = this.#next; number <= end; number++) coming.push(reader.contents(number));
    // A failure is reported when its block is due; the blocks before it are processed.
    for (const each of coming) each.catch(() => {});
    for (const each of coming) {
      const contents = await each;
      // Another node behind the same URL may not have it yet.
      if (!contents) return false;
      const tip = this.#window.last;
      if (tip && contents.block.parentHash !== tip.hash) return this.#rewind(tip.number);
      if (!contents.isProven && !(await this.#accepts(contents, head))) return false;
      await this.#do(contents);
    }
    return end < head;
  }

  /** Whether a block whose logs are not proven is processed anyway, after further tries. */
  async #accepts({ block }: BlockContents, head: number): Promise<boolean> {
    const { reader, logger } = this.options;
    // A lagging node lacks the last blocks.
    const again = block.number <= head - RANGE ? 1 : 2;
    if (++this.#unproven < (this.#hasWarned ? again : TRIES)) return false;
    const resort = await reader.lastResort(block);
    if (!resort) throw unproven(block);
    if (resort === 'proven' || this.#hasWarned) return true;
    const { number, hash } = block;
    logger.warn({ blockNumber: number, blockHash: hash }, unprovable(`${number} (${hash})`));
    this.#hasWarned = true;
    return true;
  }

  async #do(contents: BlockContents): Promise<void> {
    const { watched, onUnknown, deliver } = this.options;
    const events = eventsOf(contents, watched, onUnknown);
    for (const group of events) await deliver(group);
    const { number, hash, parentHash } = contents.block;
    this.#window.push({ number, hash, parentHash, events });
    this.#next = number + 1;
    this.#unproven = 0;
  }

  /** A chain that has not grown may still have been replaced. */
  async #compare(head: number): Promise<boolean> {
    const ours = this.#window.at(head);
    if (!ours) {
      if (await this.#genesis.isAnother()) return this.#startOver();
      const done = this.#next - 1;
      const message = `The node is at block ${head}, but block ${done} was already processed. Waiting for the node.`;
      if (!this.#isWaiting) this.options.logger.warn({ head, blockNumber: done }, message);
      this.#isWaiting = true;
      return false;
    }
    this.#isWaiting = false;
    const theirs = await this.options.reader.header(head);
    // A shorter chain may be a node that lags: nothing is undone before another block replaces it.
    if (!theirs || theirs.hash === ours.hash) return false;
    return this.#rewind(head);
  }

  /** Undoes the replaced blocks; requires a block in the window. `from` is the last block that may remain. */
  async #rewind(from: number): Promise<boolean> {
    const { reader, logger } = this.options;
    const window = this.#window;
    const { number: first } = window.first as DoneBlock;
    let common = from;
    for (; common >= first; common--) {
      const theirs = await reader.header(common);
      if (!theirs) return false;
      if (theirs.hash === window.at(common)?.hash) break;
    }
    // The nodes behind one URL may not agree yet.
    if (common === window.last?.number) return false;
    const isAnother = common < first && (await this.#genesis.isAnother());
    if (isAnother === undefined) return false;
    if (isAnother) return this.#startOver();

    const fields = { fromBlock: common + 1, toBlock: this.#next - 1 };
    if (common < first && window.isCut) {
      logger.error(
        fields,
        `A re-org is deeper than the blocks that are kept: blocks before ${first} are not undone. Restart from a block before the re-org.`,
      );
    } else logger.info(fields, `A re-org removed blocks ${fields.fromBlock} to ${fields.toBlock}.`);
    await this.#takeBack(common);
    return true;
  }

  /** Switches to another chain, and undoes all of the old one. */
  async #startOver(): Promise<boolean> {
    const { reader, logger } = this.options;
    const chainId = await reader.chainId();
    const { number: first } = this.#window.first as DoneBlock;
    const done = this.#next - 1;
    const id = chainId === this.#chainId ? '' : ` and chain id ${chainId} instead of ${this.#chainId}`;
    const rest = this.#window.isCut ? ` Blocks before ${first} are no longer kept and are not undone.` : '';
    // The application must itself undo the effects of the blocks that are not undone.
    logger[rest ? 'error' : 'warn'](
      { chainId, fromBlock: first, toBlock: done },
      `The node now has another chain, with another block 0${id}. Undoing blocks ${first} to ${done} of the old chain; following the new one from block ${this.#from}.${rest}`,
    );
    await this.#takeBack(-1);
    this.#chainId = chainId;
    this.#window = new BlockWindow();
    this.#next = this.#from;
    return true;
  }

  /** Undoes the blocks after `common`, the last first. */
  async #takeBack(common: number): Promise<void> {
    const window = this.#window;
    for (let last = window.last; last && last.number > common; last = window.last) {
      for (const group of removalsOf(last.events)) await this.options.deliver(group);
      window.pop();
      this.#next = last.number;
    }
  }
}
