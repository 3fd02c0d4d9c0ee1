import type { WebhookEvent } from '../events/types.js';
import type { Hex } from '../evm/types.js';
import type { Logger } from '../internal/logger.js';
import { type Header, malformed } from './answers.js';
import { type BlockContents, eventsOf, type OnUnknown, removalsOf } from './block-events.js';
import { BlockWindow, type DoneBlock } from './block-window.js';
import type { Evidence } from './evidence.js';
import type { ChainNode } from './node.js';
import { ifAbsent, RangeFlaw } from './range-flaw.js';
import { ifRefused, RpcError } from './rpc.js';

/** Blocks per request batch. */
const RANGE = 8;
/** Maximum batch size while the requested numbers have no blocks. */
const LONGEST_RANGE = 256;
/** Attempts to read a block before the failure is logged. */
const TRIES = 5;

export interface FollowOptions {
  readonly node: ChainNode;
  readonly evidence: Evidence;
  readonly logger: Logger;
  readonly onUnknown: OnUnknown;
  /** Resolves when the events were accepted; rejects when the watcher is closing. */
  readonly deliver: (events: readonly WebhookEvent[]) => Promise<void>;
}

/** Processes a chain block by block, and undoes the blocks that a re-org replaced. */
export class ChainFollower {
  /** Hash of block 0, which distinguishes another chain at the same URL from a re-org. */
  #genesis: Hex | undefined;
  #window = new BlockWindow();
  #chainId = 0;
  /** The first block to read after the node switches chains. */
  #from = 0;
  #next = 0;
  #isWaiting = false;
  /** Attempts in which the logs of the next block were not proven. */
  #unproven = 0;
  /** Attempts in which the next block was missing or did not follow the last one. */
  #stalls = 0;
  #range = RANGE;

  constructor(private readonly options: FollowOptions) {}

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
    const { node } = this.options;
    this.#chainId = await node.chainId();
    if (from !== 'latest') {
      this.#from = from;
      this.#next = from;
      return;
    }
    const latest = await node.header('latest');
    if (!latest) malformed('the latest block', 'a block');
    this.#genesis = await this.#lookAtGenesis();
    // It only serves as a parent: no events are sent for it, but if a re-org replaces it, those of its replacement are.
    this.#window.push({ ...latest, events: [] });
    this.#next = latest.number + 1;
  }

  async advance(): Promise<boolean> {
    const { node, evidence } = this.options;
    const head = await node.head();
    const { last } = this.#window;
    if (last && head <= last.number) return this.#compare(head);

    // No events were sent yet, so nothing has to be undone.
    if (!last && head >= this.#next) this.#genesis = await this.#lookAtGenesis();
    const first = this.#next;
    const end = Math.min(head, first + this.#range - 1);
    const coming: Promise<BlockContents | undefined>[] = [];
    for (let number = first; number <= end; number++) coming.push(evidence.contentsOf(node, number, true));
    // Process the blocks before a failure first.
    for (const each of coming) each.catch(() => {});
    /** Handles numbers without a block, on this node or on the chain. `error` is the node's error for them. */
    let gap: { readonly error: RangeFlaw | undefined } | undefined;
    for (const each of coming) {
      const contents = await each.catch(ifAbsent);
      if (!contents || contents instanceof RangeFlaw) {
        gap ??= { error: contents };
        continue;
      }
      const { block } = contents;
      const tip: Pick<Header, 'number' | 'hash'> | undefined = this.#window.last ?? (gap && (await this.#below()));
      if (tip ? block.parentHash !== tip.hash : gap) {
        const { last } = this.#window;
        // Another node behind the same URL may have the missing block.
        if (!last || (gap && (await node.header(last.number).catch(ifRefused))?.hash === last.hash)) break;
        return this.#rewind(block, last.number);
      }
      // A chain may skip numbers: the next block follows the last one.
      gap = undefined;
      if (!contents.isProven && !(await this.#accepts(contents, head))) return false;
      await this.#do(contents);
    }
    if (!gap || this.#next > first) return end < head;
    this.#range = Math.min(2 * this.#range, LONGEST_RANGE);
    if (gap.error) throw gap.error;
    return this.#stall(absent(first, this.#window.last));
  }

  /** The last block before the first one to process. Blocks after skipped numbers must follow it. */
  async #below(): Promise<Header | undefined> {
    let found: Header | undefined;
    for (let number = this.#next - 1; number >= Math.max(0, this.#next - RANGE) && !found; number--) {
      found = await this.options.node.header(number).catch(ifRefused);
    }
    return found;
  }

  /** Waits for the nodes behind the URL to catch up. Throws after several attempts. */
  #stall(why: string): false {
    if (++this.#stalls < TRIES) return false;
    throw new RpcError(why, { reason: 'malformed' });
  }

  /** Whether to process a block without proof of its logs, after several attempts. */
  async #accepts({ block }: BlockContents, head: number): Promise<boolean> {
    const { node, evidence } = this.options;
    // A lagging node lacks the last blocks.
    const again = block.number <= head - RANGE ? 1 : 2;
    if (++this.#unproven < (evidence.habits.hasUnprovable ? again : TRIES)) return false;
    await evidence.accept(node, block);
    return true;
  }

  async #do(contents: BlockContents): Promise<void> {
    const { evidence, onUnknown, deliver } = this.options;
    const events = eventsOf(contents, evidence.watched, onUnknown);
    for (const group of events) await deliver(group);
    const { number, hash, parentHash } = contents.block;
    this.#window.push({ number, hash, parentHash, events });
    this.#next = number + 1;
    this.#unproven = 0;
    this.#stalls = 0;
    this.#range = RANGE;
  }

  /** Detects a re-org on a chain that has not grown. */
  async #compare(head: number): Promise<boolean> {
    if (head < (this.#window.first as DoneBlock).number) {
      if (await this.#isAnother()) return this.#startOver();
      const done = this.#next - 1;
      const message = `The node is at block ${head}, but block ${done} was already processed. Waiting for the node.`;
      if (!this.#isWaiting) this.options.logger.warn({ head, blockNumber: done }, message);
      this.#isWaiting = true;
      return false;
    }
    this.#isWaiting = false;
    const theirs = await this.options.node.header(head);
    // A shorter chain may come from a lagging node, so a block is undone only when another one replaces it.
    if (!theirs || theirs.hash === this.#window.at(head)?.hash) return false;
    return this.#rewind(theirs, head);
  }

  /**
   * Undoes the blocks that are not ancestors of `block`; `from` is the last number that may remain. Needs a block in
   * the window.
   */
  async #rewind(block: Header, from: number): Promise<boolean> {
    const { node, logger } = this.options;
    const window = this.#window;
    const { number: first } = window.first as DoneBlock;
    const ours = window.at(from);
    const now = await node.header(from).catch(ifRefused);
    // Nodes behind one URL may still disagree.
    if (ours && now?.hash === ours.hash) return this.#stall(unlinked(block, ours));
    // By hash, because a number may have no block.
    let parent = block;
    while (parent.number > first && window.at(parent.number)?.hash !== parent.hash) {
      const below = await node.header(parent.parentHash).catch(ifRefused);
      if (!below) return this.#stall(unlinked(parent, ours));
      if (below.number >= parent.number) malformed('the number of a parent block', 'below that of its block');
      parent = below;
    }
    const common = window.at(parent.number)?.hash === parent.hash ? parent.number : first - 1;
    if (common === window.last?.number) return this.#stall(unlinked(block, ours));
    const isAnother = common < first && (await this.#isAnother());
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

  /**
   * Whether the node now has another chain. Asks twice; undefined when the answers differ. A node that cannot return
   * block 0 counts as having the same chain.
   */
  async #isAnother(): Promise<boolean | undefined> {
    const theirs = this.#genesis && (await this.#lookAtGenesis());
    if (theirs === undefined || theirs === this.#genesis) return false;
    // Nodes behind one URL may disagree.
    return (await this.#lookAtGenesis()) === theirs || undefined;
  }

  /** Some nodes have pruned their first blocks, and report that with different errors. */
  async #lookAtGenesis(): Promise<Hex | undefined> {
    return (await this.options.node.header(0).catch(() => undefined))?.hash;
  }

  /** Switches to another chain, and undoes all of the old one. */
  async #startOver(): Promise<boolean> {
    const { node, logger } = this.options;
    const chainId = await node.chainId(true);
    const { number: first } = this.#window.first as DoneBlock;
    const done = this.#next - 1;
    const id = chainId === this.#chainId ? '' : ` and chain id ${chainId} instead of ${this.#chainId}`;
    const rest = this.#window.isCut ? ` Blocks before ${first} are no longer kept and are not undone.` : '';
    // The application must undo the effects of the remaining blocks.
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
      this.#next = window.last ? window.last.number + 1 : last.number;
    }
  }
}

function absent(number: number, last: DoneBlock | undefined): string {
  const after = last ? ` after block ${last.number} (${last.hash})` : '';
  return `The node does not have block ${number}${after}, but has later ones. It lags, or has dropped the block. If this persists, use a node that keeps all blocks, or start at a later block with \`fromBlock\`.`;
}

function unlinked({ number, hash, parentHash }: Header, last: DoneBlock | undefined): string {
  const done = last ? `, but block ${last.number} is ${last.hash}` : '';
  return `Block ${number} (${hash}) has the parent ${parentHash}${done}. The nodes behind the URL disagree. If this persists, use the URL of a single node, or of another provider.`;
}
