import type { Hex } from '../../evm/types.js';
import { fieldsOf, type Header, malformed } from '../answers.js';
import { ChainNode } from '../node.js';
import type { Tag } from '../node-options.js';
import { isWithin } from '../node-pool.js';
import { RpcError } from '../rpc.js';
import type { RpcUrl } from '../rpc-url.js';
import type { BlockPlace } from './block-of.js';

/** How long a tag's block is reused, in ms; also the shortest delay before an event is checked again. */
const FRESH_MS = 1000;
/** Delay after an error, or after HTTP 429 without Retry-After. */
export const ERROR_WAIT_MS = 15_000;

const SHORTEST_MS = 1000;
const LONGEST_MS = 5 * 60_000;

/** Limits a wait to between a second and five minutes. */
export function waitOf(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS));
}

interface FinalityNodeOptions {
  readonly tag: Tag;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** A node that is asked for blocks again and again. Keeps the pauses that it asks for. */
export class FinalityNode extends ChainNode {
  readonly tag: Tag;
  #last: { readonly header: Header; readonly at: number } | undefined;
  /** When the tag's block last changed. */
  #risenAt = Number.POSITIVE_INFINITY;
  /** The error in which the node asked for a pause. */
  #pause: { readonly error: RpcError; readonly at: number; readonly ms: number } | undefined;

  constructor(
    url: RpcUrl,
    private readonly options: FinalityNodeOptions,
  ) {
    super(url, options);
    this.tag = options.tag;
  }

  override async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const { now } = this.options;
    if (this.#pause) {
      const { error, at, ms } = this.#pause;
      const past = now() - at;
      if (isWithin(past, ms)) throw new RpcError(error.message, { reason: error.reason, retryAfterMs: ms - past });
    }
    try {
      return await super.call(method, params);
    } catch (error) {
      const { reason, retryAfterMs = ERROR_WAIT_MS } = error as RpcError;
      if (reason === 'rate-limited') this.#pause = { error: error as RpcError, at: now(), ms: waitOf(retryAfterMs) };
      throw error;
    }
  }

  /** The block of the level's tag. `isAgain` requires a request made after this call. */
  async end(isAgain = false): Promise<Header> {
    const at = this.options.now();
    if (!isAgain && this.#last && isWithin(at - this.#last.at, FRESH_MS)) return this.#last.header;
    const header = await this.tagged(this.tag.tag);
    if (!this.#last || header.number > this.#last.header.number) this.#risenAt = at;
    this.#last = { header, at };
    return header;
  }

  /** How long the tag's block has not changed, in milliseconds. */
  get stuckMs(): number {
    return this.options.now() - this.#risenAt;
  }

  /** The hash of the block with a number. */
  async hashAt(number: number): Promise<Hex> {
    return (await this.header(number))?.hash ?? this.fail(`has no block ${number}.`);
  }

  /** The block of a transaction, by its receipt. */
  async blockOf(transaction: Hex): Promise<Pick<BlockPlace, 'number' | 'hash'>> {
    const block = await this.ask('eth_getTransactionReceipt', [transaction], (answer) => {
      if (answer === null) return undefined;
      const read = fieldsOf(answer, 'receipt');
      if (read.hash('transactionHash') !== transaction) malformed('receipt', 'that of the requested transaction');
      return { number: read.position('blockNumber'), hash: read.hash('blockHash') };
    });
    return block ?? this.fail(`has no receipt of ${transaction}.`);
  }
}
