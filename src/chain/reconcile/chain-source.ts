import type { WebhookEvent } from '../../events/types.js';
import { hashOf } from '../../evm/keccak.js';
import { checkNumber, checkOptions, MAX_TIMER_MS } from '../../internal/check-options.js';
import { type Header, LONGEST_GAP } from '../answers.js';
import { type BlockContents, eventsOf } from '../block-events.js';
import { Evidence } from '../evidence.js';
import { Habits } from '../habits.js';
import { tellUnknownOnce } from '../logging.js';
import { type FinalityLevel, type NodeOptions, readNodeOptions } from '../node-options.js';
import { isTooMuch, NodePool } from '../node-pool.js';
import { RangeFlaw } from '../range-flaw.js';
import { readWatched, type Watched, type WatchedContract } from '../watched.js';
import { digestOf, readRange } from './range-reader.js';
import type { OpenSource, ReconcileSource, SourceChunk } from './source.js';
import { SourceNode } from './source-node.js';

/** Options of `chainSource`. */
export interface ChainSourceOptions extends NodeOptions {
  /** Contracts whose logs become `event.emitted`, as in `watchChain`. (Default: none.) */
  readonly contracts?: readonly WatchedContract[] | undefined;
  /**
   * Addresses whose transactions become `transaction.included`. Every block is then read with all its transactions.
   * (Default: none.)
   */
  readonly wallets?: readonly string[] | undefined;
  /**
   * The last block to read: the chain's `safe` or `finalized` block, or the one with this many confirmations; the last
   * block of the chain has 1. Must be at least as strict as the receiver's `finality`. (Default: `finalized`.)
   */
  readonly level?: FinalityLevel | undefined;
  /**
   * Minimum time in seconds that a block must have been final, by the chain's timestamps: the sender may still be
   * delivering events of younger blocks. Must exceed your sender's longest pause between two attempts. (Default: 1800.)
   */
  readonly minAgeSeconds?: number | undefined;
  /** ID of the chain. A node of another chain is refused. (Default: that of the first node.) */
  readonly chainId?: number | undefined;
  /** Maximum number of blocks per request for logs. Lowered for nodes that refuse it. (Default: 1000.) */
  readonly maxRange?: number | undefined;
  /** Time limit for one request, in milliseconds. (Default: 15 000.) */
  readonly timeoutMs?: number | undefined;
}

/** Asks `agree` nodes. */
type Ask = <Answer>(question: (node: SourceNode) => Promise<Answer>) => Promise<Answer[]>;

interface OpenChain {
  readonly ask: Ask;
  readonly chainId: number;
  readonly final: Header;
}

/** Number of blocks from which a chain without a final block is reported. */
const STILL_BLOCKS = 1000;

const neverFinal = (tag: string, head: number) =>
  `The chain has ${head} blocks and its \`${tag}\` block is still 0, so nothing is read. Some chains never report final blocks: set \`level: { confirmations: n }\`.`;

const OPTIONS = 'rpcUrl contracts wallets level minAgeSeconds chainId agree maxRange timeoutMs logger'.split(' ');

/**
 * Reads contract events from the chain for `reconcile`, up to the last final block, in the service's format, as
 * `watchChain` does. Positions are block numbers. Every block is linked to the final block by parent hashes, and every
 * log to its block. Logs are requested by block hash, and a node must prove that none is missing, as in `watchChain`:
 * the report names blocks that no node can prove. It does not detect a wrong answer that all asked nodes give: use
 * `agree` with nodes of different providers.
 *
 * Ranges are halved when a node refuses them. At most 8 requests per node run at once, and the events
 * of at most 10 000 logs (or of one block) are in memory.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { chainSource } from 'event-webhook-receiver/chain';
 *
 * const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
 * const token = { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', abi, name: 'Token', label: 'token' };
 *
 * export const source = chainSource({ rpcUrl: 'http://127.0.0.1:8545', chainId: 31337, contracts: [token] });
 * ```
 * @param options The nodes and what to read; see {@link ChainSourceOptions}.
 * @returns A source for `reconcile`. It sends no request before `reconcile` uses it.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function chainSource(options: ChainSourceOptions): ReconcileSource {
  checkOptions('chainSource', options, OPTIONS);
  const { level = 'finalized', maxRange = 1000, minAgeSeconds = 1800, timeoutMs = 15_000 } = options;
  const { urls, agree, tag, logger } = readNodeOptions({ ...options, level, timeoutMs }, MAX_TIMER_MS);
  const watched = readWatched('chainSource', options.contracts, options.wallets, logger);
  checkNumber('minAgeSeconds', minAgeSeconds, 0);
  checkNumber('maxRange', maxRange, 1);
  const onUnknown = tellUnknownOnce(logger);
  const habits = new Habits(logger);
  const known = urls.map((url) => ({ url, evidence: new Evidence(watched, habits) }));
  const pool = new NodePool(known, agree);
  let hasWarned = false;

  async function open(signal: AbortSignal): Promise<OpenSource> {
    const nodes = new Map(known.map((each) => [each, new SourceNode(each.url, each.evidence, { timeoutMs, signal })]));
    const ask: Ask = (question) => pool.ask((each) => question(nodes.get(each) as SourceNode));
    const chainId = options.chainId ?? ((await ask((node) => node.chainId()))[0] as number);
    const answers = await ask(async (node) => {
      await node.checkChain(chainId);
      return node.ends(tag);
    });
    const finals = answers.map((each) => each.final);
    const final = finals.reduce((low, each) => (low && each && low.number < each.number ? low : low && each));
    const head = answers.map((each) => each.head).reduce((high, each) => (each.number > high.number ? each : high));
    if (tag.depth === 0 && !final?.number && head.number > STILL_BLOCKS && !hasWarned) {
      logger.warn({ position: head.number }, neverFinal(tag.tag, head.number));
      hasWarned = true;
    }
    if (!final) return { chainId, end: -1, head: head.number, async *read() {} };
    if (agree > 1 && (await ask((node) => node.upTo(final.number))).some(({ hash }) => hash !== final.hash)) {
      throw new RangeFlaw('changed', `The nodes have different final blocks ${final.number}`);
    }
    const end = await lastUntil(youngest(final, head), final, ask);
    return { chainId, end, head: head.number, read: (from, to) => read({ ask, chainId, final }, from, to) };
  }

  /** Latest mining time, in Unix seconds, of blocks that have been final for long enough. */
  function youngest(final: Header, head: Header): number {
    if (minAgeSeconds === 0) return Infinity;
    // The delay between mining and finality.
    const lag = Math.max(0, head.timestamp - final.timestamp);
    return Math.floor(Date.now() / 1000) - minAgeSeconds - lag;
  }

  /** Reads a range from `agree` nodes. */
  async function readAgreed(
    { ask, chainId, final }: OpenChain,
    range: readonly [number, number],
    acceptsUnproven: boolean,
    last: Header | undefined,
  ): Promise<BlockContents[]> {
    const [first = [], ...others] = await ask(async (node) => {
      await node.checkChain(chainId);
      const blocks = await readRange(node, range, acceptsUnproven, last);
      await node.link((blocks.at(-1) as BlockContents).block, final);
      return blocks;
    });
    const digests = [first, ...others].map((blocks) => blocks.map(digestOf));
    const at = first.findIndex((_, index) => new Set(digests.map((each) => each[index])).size > 1);
    if (at < 0) return first;
    throw new RangeFlaw('changed', `The nodes have different logs in block ${range[0] + at}`);
  }

  async function* read(chain: OpenChain, from: number, to: number): AsyncGenerator<SourceChunk> {
    let last: Header | undefined;
    let acceptsUnproven = false;
    /** Number of blocks at a time. It does not grow again: each block takes a request anyway. */
    let size = Math.floor(maxRange);
    /** Extends a range whose numbers have no block. */
    let gap = 0;
    for (let start = from; start <= to; ) {
      const end = Math.min(to, start + size + gap - 1);
      const length = end - start + 1;
      let blocks: BlockContents[];
      try {
        blocks = await readAgreed(chain, [start, end], acceptsUnproven, last);
      } catch (error) {
        // All nodes failed.
        const { message } = error as Error;
        const flaw = error instanceof RangeFlaw ? error.flaw : undefined;
        if (flaw === 'bloom') {
          logger.warn({ err: error }, `${message} Logs are requested by block hash from now on.`);
        } else if (flaw === 'unproven' && !acceptsUnproven) acceptsUnproven = true;
        else if (flaw === 'empty' && end < to && gap < LONGEST_GAP) gap = 2 * gap + 1;
        else if (length > 1 && isTooMuch(error)) {
          size = Math.floor(length / 2);
          logger.debug({ err: error, blocks: length }, `${message} Asking for ${size} blocks at a time.`);
        } else throw error;
        continue;
      }
      last = blocks.at(-1)?.block as Header;
      gap = 0;
      acceptsUnproven = false;
      yield chunkOf(blocks, last.number, (contents) => eventsOf(contents, watched, onUnknown).flat());
      start = last.number + 1;
    }
  }

  return { name: 'chain', scope: scopeOf(watched), chainId: options.chainId, open: ({ signal }) => open(signal) };
}

/** The last block up to `final` that was mined by a time in Unix seconds; -1 if there is none. */
async function lastUntil(second: number, final: Header, ask: Ask): Promise<number> {
  let [old, young, last] = [-1, final.number, -1];
  if (final.timestamp <= second) return final.number;
  const look = async (at: number) => {
    const blocks = await ask((node) => node.upTo(at));
    if (blocks.some(({ timestamp }) => timestamp > second)) young = at;
    else [old, last] = [at, Math.min(...blocks.map(({ number }) => number))];
  };
  for (let step = 1; old < 0 && young > 0; step *= 2) await look(Math.max(0, final.number - step));
  while (young - old > 1) await look(Math.floor((old + young) / 2));
  return last;
}

/** A short, stable digest of the addresses. */
function scopeOf({ contracts, wallets }: Watched): string {
  const addresses = [[...contracts.keys()].sort(), [...wallets].sort()];
  return hashOf(JSON.stringify(addresses));
}

function chunkOf(
  blocks: readonly BlockContents[],
  to: number,
  events: (contents: BlockContents) => readonly WebhookEvent[],
): SourceChunk {
  const entries = blocks.flatMap((contents) =>
    events(contents).map((event) => ({ position: contents.block.number, event })),
  );
  const oldest = blocks.find(({ block }) => block.number === entries[0]?.position)?.block;
  const blockHashes = blocks.map(({ block }) => block.hash);
  const unproven = blocks.filter(({ isProven }) => !isProven).map(({ block }) => block.number);
  return { to, entries, oldestAt: oldest && 1000 * oldest.timestamp, blockHashes, unproven };
}
