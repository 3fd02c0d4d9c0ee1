import type { Hex } from '../../evm/types.js';
import type { Logger } from '../../internal/logger.js';
import type { Tag } from '../node-options.js';
import { ifRefused, type RpcError } from '../rpc.js';
import type { BlockPlace, Place } from './block-of.js';
import { type Found, findFinal, NO_BLOCK } from './final-blocks.js';
import { Contradiction, KnownBlocks } from './known-blocks.js';
import { ERROR_WAIT_MS, type FinalityNode, isWithin } from './node.js';
import { Pace, waitOf } from './pace.js';

/** A node's answer for one event: same final block, another final block, not final yet, or unknown. */
export type Say =
  | { readonly kind: 'same' | 'other' }
  | { readonly kind: 'ahead'; readonly waitMs: number; readonly isStuck: boolean }
  | { readonly kind: 'unknown'; readonly waitMs: number; readonly error: Error };

type Located = Place & BlockPlace;

/** How long headers of a second look are reused, for other events and after a failure. */
const AGAIN_MS = 10 * 60_000;
/** A final block this far behind means that the node is syncing or has another chain. */
const TOO_FAR_MS = 24 * 3_600_000;
/** If a tag's block does not change for this long, the node may be stuck, and other nodes are asked too. */
const STUCK_MS = 10 * 60_000;

interface LookUpsOptions {
  readonly node: FinalityNode;
  readonly tag: Tag;
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
  readonly #pace = new Pace();
  #next: { readonly places: Map<string, Place>; readonly says: Promise<ReadonlyMap<string, Say>> } | undefined;
  #running: Promise<unknown> | undefined;
  /** The headers of the last look-ups that showed that a block was replaced. */
  #again: { readonly blocks: KnownBlocks; readonly at: number } | undefined;
  #isContradicted = false;
  /** When the last round failed. */
  failedAt = -Infinity;

  constructor(private readonly options: LookUpsOptions) {}

  get origin(): string {
    return this.options.node.origin;
  }

  /** Looks up these places together with those of concurrent calls. */
  look(places: readonly Place[]): Promise<ReadonlyMap<string, Say>> {
    this.#next ??= this.#prepare();
    for (const place of places) this.#next.places.set(place.key, place);
    return this.#next.says;
  }

  /** Forgets the final block at this number, so that the next look-up requests it again. */
  doubt({ number }: Place): void {
    if (number !== undefined) this.#known.final.delete(number);
  }

  #prepare() {
    const places = new Map<string, Place>();
    const start = async () => {
      await this.#running;
      this.#next = undefined;
      const round = this.#round([...places.values()]);
      this.#running = round.catch(() => {});
      return round;
    };
    return { places, says: start() };
  }

  async #round(places: readonly Place[]): Promise<ReadonlyMap<string, Say>> {
    const says = new Map<string, Say>();
    try {
      await this.options.node.checkChain(this.#isContradicted);
      this.#isContradicted = false;
      const located = await this.#locate(places, says);
      await this.#compare(located, says);
    } catch (error) {
      if (error instanceof Contradiction) {
        this.#forget(error);
        says.clear();
      }
      for (const { key } of places) if (!says.has(key)) says.set(key, this.#unknown(error as Error));
    }
    if ([...says.values()].some(({ kind }) => kind === 'unknown')) this.failedAt = this.options.now();
    return says;
  }

  /** Resolves places that name only a transaction to blocks. */
  async #locate(places: readonly Place[], says: Map<string, Say>): Promise<Located[]> {
    const located = places.map(async (place): Promise<Located | undefined> => {
      if (place.number !== undefined) return place;
      try {
        const block = await this.options.node.blockOf(place.transaction);
        if (block) return { ...place, ...block };
        says.set(place.key, this.#unknown(this.options.node.error(`has no receipt of ${place.transaction}.`)));
      } catch (error) {
        says.set(place.key, this.#unknown(error as Error));
      }
      return undefined;
    });
    return (await Promise.all(located)).filter((place) => place !== undefined);
  }

  async #compare(places: readonly Located[], says: Map<string, Say>): Promise<void> {
    const { node, tag } = this.options;
    const usual = { node, pace: this.#pace, depth: tag.depth };
    const { found } = await findFinal(numbersOf(places), { ...usual, known: this.#known, isAgain: false });
    const doubtful: Located[] = [];
    for (const place of places) {
      const block = found.get(place.number) as Found;
      if (!('hash' in block)) says.set(place.key, this.#notFinal(block));
      else if (block.hash === place.hash && !place.isRemoval) says.set(place.key, { kind: 'same' });
      else if (place.transaction !== undefined) {
        const error = node.error(`has a receipt of ${place.transaction} that is not of its chain.`);
        says.set(place.key, this.#unknown(error));
      } else doubtful.push(place);
    }
    if (doubtful.length > 0) await this.#lookAgain(doubtful, found, says);
  }

  /**
   * Dropping an event or confirming a removal needs a newly requested final block, linked by headers that were
   * requested for this purpose, not by those of other look-ups.
   */
  async #lookAgain(
    places: readonly Located[],
    before: ReadonlyMap<number, Found>,
    says: Map<string, Say>,
  ): Promise<void> {
    const { node, tag, now } = this.options;
    await node.checkChain(true);
    if (!this.#again || !isWithin(now() - this.#again.at, AGAIN_MS))
      this.#again = { blocks: new KnownBlocks(), at: now() };
    const known = this.#again.blocks;
    // Headers are linked again, to a later final block.
    known.final.clear();
    const options = { node, pace: this.#pace, depth: tag.depth, known, isAgain: true };
    const { found, tagged } = await findFinal(numbersOf(places), options);
    // Requested by number, even if it is known from the tag or a hash.
    const byNumber = await mapOf(found.keys(), (number) => node.header(number).catch(ifRefused));
    const hashes = places.filter(({ number, hash }) => isOther(found.get(number), hash)).map(({ hash }) => hash);
    const byHash = await mapOf(new Set(hashes), (hash) => node.header(hash).catch(ifRefused));
    for (const [number, hash] of known.final) this.#known.addFinal(number, hash);

    const judge = (place: Located, hash: Hex): Say => {
      const shown = byNumber.get(place.number);
      if (shown instanceof Error) return this.#unknown(shown);
      if ((shown?.hash ?? NO_BLOCK) !== hash) return this.#unknown(node.error(`has two blocks ${place.number}.`));
      const isSame = hash === place.hash;
      const missing = place.number - (tagged - (isSame ? tag.depthOfMoot : tag.depthOfOther));
      if (missing > 0) return this.#notFinal({ missing });
      if (isSame) return { kind: 'same' };
      const own = byHash.get(place.hash);
      if (own instanceof Error) return this.#unknown(own);
      if (own === undefined || own.number === place.number) return { kind: 'other' };
      const what = `has the block of the event's hash at ${own.number}, but the event says ${place.number}. Report it to the service.`;
      return { ...this.#unknown(node.error(what)), waitMs: waitOf(TOO_FAR_MS) };
    };
    for (const place of places) {
      const block = found.get(place.number) as Found;
      if ('hash' in block && isOther(before.get(place.number), block.hash)) throw new Contradiction(place.number);
      says.set(place.key, 'hash' in block ? judge(place, block.hash) : this.#notFinal(block));
    }
  }

  /** Cached answers are wrong: discards them. */
  #forget({ number }: Contradiction): void {
    this.#isContradicted = true;
    this.#known = new KnownBlocks();
    this.#again = undefined;
    this.options.onContradiction();
    this.options.logger.warn(
      { origin: this.origin, blockNumber: number },
      `The node at ${this.origin} has another final block ${number} than before: a re-org was deeper than \`level\` allows for, or the URL has another chain. All blocks are looked up again.`,
    );
  }

  #notFinal(found: Found): Say {
    if ('error' in found) return this.#unknown(found.error);
    const { missing } = found as { readonly missing: number };
    const ms = this.#pace.timeOf(missing);
    if (ms > TOO_FAR_MS) {
      const why = `has a final block that is ${missing} blocks before the event's. Check that it is not syncing, and that \`rpcUrl\` is of the chain of the events.`;
      return { ...this.#unknown(this.options.node.error(why)), waitMs: waitOf(TOO_FAR_MS) };
    }
    return { kind: 'ahead', waitMs: waitOf(ms), isStuck: this.options.node.stuckMs > STUCK_MS };
  }

  #unknown(error: Error): Extract<Say, { kind: 'unknown' }> {
    const { retryAfterMs } = error as Partial<RpcError>;
    return { kind: 'unknown', waitMs: waitOf(retryAfterMs ?? ERROR_WAIT_MS), error };
  }
}

function numbersOf(places: readonly Located[]): number[] {
  return [...new Set(places.map(({ number }) => number))];
}

function isOther(found: Found | undefined, hash: Hex): boolean {
  return found !== undefined && 'hash' in found && found.hash !== hash;
}

/** Looks up each key. The value of a failed look-up is its error. */
async function mapOf<Key, Value>(keys: Iterable<Key>, lookUp: (key: Key) => Promise<Value>) {
  const entries = Array.from(keys, async (key) => [key, await lookUp(key).catch((error: Error) => error)] as const);
  return new Map(await Promise.all(entries));
}
