import type { Logger } from '../../internal/logger.js';
import { Contradiction, KnownBlocks } from '../ancestry.js';
import type { Header } from '../answers.js';
import { isWithin } from '../node-pool.js';
import { ifRefused, RpcError } from '../rpc.js';
import type { BlockPlace, Place } from './block-of.js';
import { type Found, findFinal, NO_BLOCK } from './final-blocks.js';
import { type FinalityNode, waitOf } from './finality-node.js';

/** Whether the final block at an event's number is that of the event or another, or when to ask again. */
export type Finding = 'same' | 'other' | { readonly waitMs: number };

/** Ethereum's time between blocks, used until it is measured over the last blocks. */
const DEFAULT_BLOCK_MS = 12_000;
const PACE_BLOCKS = 100;
/** How long headers of a second look are reused, for other events and after a failure. */
const AGAIN_MS = 10 * 60_000;
/** A final block this far behind means that the node is syncing or has another chain. */
const TOO_FAR_MS = 24 * 3_600_000;
/** If a tag's block does not change for this long, the node may be stuck, and another node is asked. */
const STUCK_MS = 10 * 60_000;

interface LookUpsOptions {
  readonly node: FinalityNode;
  readonly chainId: number;
  readonly logger: Logger;
  readonly now: () => number;
  /** Called when final blocks were replaced. */
  readonly onContradiction: () => void;
}

/**
 * Looks up events' blocks on one node. One round runs at a time and covers all look-ups requested since the last round
 * started, so that concurrent callers share its requests.
 */
export class NodeLookUps {
  #known = new KnownBlocks();
  /** Headers that were requested for a second look. */
  #again: { readonly blocks: KnownBlocks; readonly at: number } | undefined;
  #blockMs: Promise<number> | undefined;
  #next:
    | { readonly places: Map<string, BlockPlace>; readonly answers: Promise<ReadonlyMap<string, Finding | Error>> }
    | undefined;
  #running: Promise<unknown> | undefined;
  #isContradicted = false;

  constructor(private readonly options: LookUpsOptions) {}

  /** Looks up a place together with those of concurrent calls. Rejects if the node's answers do not suffice. */
  async look(place: Place): Promise<Finding> {
    const block =
      place.number === undefined ? { ...place, ...(await this.options.node.blockOf(place.transaction)) } : place;
    this.#next ??= this.#prepare();
    const { places, answers } = this.#next;
    places.set(place.key, block);
    const answer = (await answers).get(place.key) as Finding | Error;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Forgets the final block at this number, so that the next look-up requests it again. */
  doubt({ number }: Place): void {
    if (number !== undefined) this.#known.final.delete(number);
  }

  #prepare() {
    const places = new Map<string, BlockPlace>();
    const start = async () => {
      await this.#running;
      this.#next = undefined;
      const round = this.#round([...places.values()]);
      this.#running = round;
      return round;
    };
    return { places, answers: start() };
  }

  /** Never rejects. */
  async #round(places: readonly BlockPlace[]): Promise<ReadonlyMap<string, Finding | Error>> {
    const { node, chainId } = this.options;
    try {
      await node.checkChain(chainId, this.#isContradicted);
      this.#isContradicted = false;
      const numbers = [...new Set(places.map(({ number }) => number))];
      const { found, tagged } = await findFinal(numbers, node, this.#known);
      let again: ReturnType<typeof findFinal> | undefined;
      const lookAgain = () => (again ??= this.#lookAgain(places.filter((place) => isDoubtful(place, found))));
      const answers = places.map(async (place): Promise<[string, Finding | Error]> => {
        const finding = this.#compare(place, found.get(place.number) as Found, tagged, lookAgain);
        return [place.key, await finding.catch(asAnswer)];
      });
      return new Map(await Promise.all(answers));
    } catch (error) {
      if (error instanceof Contradiction) this.#forget(error);
      return new Map(places.map(({ key }) => [key, error as Error]));
    }
  }

  /** The final blocks of these places, linked to a new final block by headers of second looks only. */
  async #lookAgain(places: readonly BlockPlace[]): ReturnType<typeof findFinal> {
    const { node, chainId, now } = this.options;
    await node.checkChain(chainId, true);
    if (!this.#again || !isWithin(now() - this.#again.at, AGAIN_MS)) {
      this.#again = { blocks: new KnownBlocks(), at: now() };
    }
    const { blocks } = this.#again;
    // Its headers are linked again, to the new final block.
    blocks.final.clear();
    return findFinal([...new Set(places.map(({ number }) => number))], node, blocks, true);
  }

  /** @param lookAgain Looks up the doubtful places of the round again, once. */
  async #compare(
    place: BlockPlace,
    block: Found,
    tagged: Header,
    lookAgain: () => ReturnType<typeof findFinal>,
  ): Promise<Finding> {
    const { node } = this.options;
    const { number, hash, isRemoval, transaction } = place;
    if ('error' in block) throw block.error;
    if ('missing' in block) return this.#ahead(block.missing, tagged);
    const isSame = block.hash === hash;
    if (isSame && !isRemoval) return 'same';
    if (transaction !== undefined) node.fail(`has a receipt of ${transaction} that is not of its chain.`);
    // Dropping an event or confirming a removal needs a new final block, linked by other headers.
    const { found, tagged: end } = await lookAgain();
    const second = found.get(number) as Found;
    if ('error' in second) throw second.error;
    const depth = isSame ? node.tag.depthOfMoot : node.tag.depthOfOther;
    const missing = 'missing' in second ? second.missing : number - (end.number - depth);
    if (missing > 0) return this.#ahead(missing, end);
    if ('hash' in second && second.hash !== block.hash) throw new Contradiction(number);
    // Requested by number, even if it is known from the tag or a hash.
    const shown = await node.header(number).catch(ifRefused);
    if ((shown?.hash ?? NO_BLOCK) !== block.hash) node.fail(`has two blocks ${number}.`);
    if (isSame) return 'same';
    const own = await node.header(hash).catch(ifRefused);
    if (own === undefined || own.number === number) return 'other';
    return tooFar(
      node,
      `has the block of the event's hash at ${own.number}, but the event says ${number}. Report it to the service.`,
    );
  }

  /** The chain's time between blocks. */
  async #measure({ number, timestamp }: Header): Promise<number> {
    const earlier = await this.options.node.header(Math.max(0, number - PACE_BLOCKS)).catch(() => undefined);
    if (earlier && earlier.number < number) return (1000 * (timestamp - earlier.timestamp)) / (number - earlier.number);
    this.#blockMs = undefined;
    return DEFAULT_BLOCK_MS;
  }

  async #ahead(missing: number, tagged: Header): Promise<Finding> {
    const { node } = this.options;
    this.#blockMs ??= this.#measure(tagged);
    const ms = missing * (await this.#blockMs);
    if (ms > TOO_FAR_MS) {
      const why = `has a final block that is ${missing} blocks before the event's. Check that it is not syncing, and that \`rpcUrl\` is of the chain of the events.`;
      return tooFar(node, why);
    }
    if (node.stuckMs > STUCK_MS) node.fail('has had the same final block for more than ten minutes.');
    return { waitMs: waitOf(ms) };
  }

  /** Cached answers are wrong: discards them. */
  #forget({ number }: Contradiction): void {
    const { node, logger, onContradiction } = this.options;
    this.#isContradicted = true;
    this.#known = new KnownBlocks();
    this.#again = undefined;
    onContradiction();
    logger.warn(
      { origin: node.origin, blockNumber: number },
      `The node at ${node.origin} has another final block ${number} than before: a re-org was deeper than \`level\` allows for, or the URL has another chain. All blocks are looked up again.`,
    );
  }
}

/** Whether the event is of another block than the final one, or says that its block was removed. */
function isDoubtful({ number, hash, isRemoval }: BlockPlace, found: ReadonlyMap<number, Found>): boolean {
  const block = found.get(number);
  return block !== undefined && 'hash' in block && (block.hash !== hash || isRemoval);
}

/** Another block that is final now concerns all places. */
function asAnswer(error: Error): Error {
  if (error instanceof Contradiction) throw error;
  return error;
}

/** Fails with the longest delay before the event is looked up again. */
function tooFar({ origin }: FinalityNode, what: string): never {
  throw new RpcError(`The node at ${origin} ${what}`, { reason: 'malformed', retryAfterMs: TOO_FAR_MS });
}
