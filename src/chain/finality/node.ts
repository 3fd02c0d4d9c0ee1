import type { Hex } from '../../evm/types.js';
import { fieldsOf, type Header, malformed, readNumber } from '../answers.js';
import { headerOf, taggedBlock } from '../chain-reader.js';
import type { Tag } from '../node-options.js';
import { createRpc, type Rpc, RpcError } from '../rpc.js';
import type { RpcUrl } from '../rpc-url.js';
import { waitOf } from './pace.js';

/**
 * Maximum bytes in an answer, which contains the hashes of a block's transactions: ten times the largest chains' size.
 */
const MOST_BYTES = 8 * 1024 * 1024;
/** Maximum concurrent requests to a node. */
const CONCURRENCY = 8;
/** How long a tag's block is reused, in ms; also the shortest delay before an event is checked again. */
const FRESH_MS = 1000;
/** Delay after an error, or after HTTP 429 without Retry-After. */
export const ERROR_WAIT_MS = 15_000;

/** Whether a time is less than `ms` ago. False for a time in the future, after the clock was set back. */
export function isWithin(pastMs: number, ms: number): boolean {
  return pastMs >= 0 && pastMs < ms;
}

interface NodeOptions {
  readonly url: RpcUrl;
  readonly tag: Tag;
  readonly chainId: number;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** Makes the calls to one node, and checks the answers. All methods reject with RpcError only. */
export class FinalityNode {
  readonly origin: string;
  readonly #rpc: Rpc;
  #isChainChecked = false;
  #tagged: { readonly header: Header; readonly at: number } | undefined;
  /** When the tag's block last changed. */
  #risenAt = Number.POSITIVE_INFINITY;
  /** The error in which the node asked for a pause. */
  #pause: { readonly error: RpcError; readonly at: number; readonly ms: number } | undefined;

  constructor(private readonly options: NodeOptions) {
    const { url, timeoutMs } = options;
    this.origin = url.origin;
    this.#rpc = createRpc(url, { timeoutMs, retries: 0, maxBytes: MOST_BYTES, concurrency: CONCURRENCY });
  }

  /** Checks the chain ID, once unless `isAgain`. */
  async checkChain(isAgain: boolean): Promise<void> {
    const { chainId } = this.options;
    if (this.#isChainChecked && !isAgain) return;
    this.#isChainChecked = false;
    const id = await this.#ask('eth_chainId', [], (answer) => readNumber(answer, 'eth_chainId'));
    if (id !== chainId)
      throw this.error(`has chain ID ${id}, but \`chainId\` has ${chainId}. Check \`rpcUrl\` and \`chainId\`.`);
    this.#isChainChecked = true;
  }

  /** The block of the level's tag. `isAgain` requires a request made after this call. */
  async tagged(isAgain: boolean): Promise<Header> {
    const { tag } = this.options.tag;
    const at = this.options.now();
    if (!isAgain && this.#tagged && isWithin(at - this.#tagged.at, FRESH_MS)) return this.#tagged.header;
    const header = await this.#named('eth_getBlockByNumber', taggedBlock(this.#call, tag, this.origin));
    if (!this.#tagged || header.number > this.#tagged.header.number) this.#risenAt = at;
    this.#tagged = { header, at };
    return header;
  }

  /** How long the tag's block has not changed, in milliseconds. */
  get stuckMs(): number {
    return this.options.now() - this.#risenAt;
  }

  /** The block with a number or a hash; undefined when the node does not have it. */
  async header(which: number | Hex): Promise<Header | undefined> {
    return this.#named('eth_getBlock', headerOf(this.#call, which));
  }

  /** The block of a transaction; undefined when the node has no receipt of it. */
  async blockOf(transaction: Hex): Promise<{ readonly number: number; readonly hash: Hex } | undefined> {
    return this.#ask('eth_getTransactionReceipt', [transaction], (answer) => {
      if (answer === null) return undefined;
      const read = fieldsOf(answer, 'receipt');
      if (read.hash('transactionHash') !== transaction) malformed('receipt', 'that of the requested transaction');
      return { number: read.position('blockNumber'), hash: read.hash('blockHash') };
    });
  }

  /** The error for a wrong answer. */
  error(what: string): RpcError {
    return new RpcError(`The node at ${this.origin} ${what}`, { reason: 'malformed' });
  }

  async #ask<Value>(method: string, params: readonly unknown[], read: (answer: unknown) => Value): Promise<Value> {
    return this.#named(method, this.#call(method, params).then(read));
  }

  #named<Value>(method: string, value: Promise<Value>): Promise<Value> {
    return value.catch((error: RpcError) => {
      if (error.reason !== 'malformed' || error.message.includes(this.origin)) throw error;
      throw new RpcError(`${method} at ${this.origin} failed: ${error.message}`, { reason: 'malformed' });
    });
  }

  readonly #call: Rpc = async (method, params) => {
    const { now } = this.options;
    if (this.#pause) {
      const { error, at, ms } = this.#pause;
      const past = now() - at;
      if (isWithin(past, ms)) throw new RpcError(error.message, { reason: error.reason, retryAfterMs: ms - past });
    }
    try {
      // Retry once immediately: the node may have closed the idle connection.
      return await this.#rpc(method, params).catch((error: RpcError) => {
        if (error.reason !== 'unreachable') throw error;
        return this.#rpc(method, params);
      });
    } catch (error) {
      const { reason, retryAfterMs = ERROR_WAIT_MS } = error as RpcError;
      if (reason === 'rate-limited') this.#pause = { error: error as RpcError, at: now(), ms: waitOf(retryAfterMs) };
      throw error;
    }
  };
}
