import { ConfigError } from '../../errors.js';
import { type Header, hexOf, readHeader, readNumber } from '../answers.js';
import type { Evidence } from '../evidence.js';
import type { Tag } from '../finality/level.js';
import { RangeFlaw } from '../range-flaw.js';
import { createRpc, type Rpc, RpcError } from '../rpc.js';
import type { RpcUrl } from '../rpc-url.js';

export interface NodeOptions {
  readonly tag: Tag;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Requests to one node at a time. */
export const CONCURRENCY = 8;
/** Ten times a block of the largest chains. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Deepest block that is linked to another hash by hash. */
const DEEPEST_LINK = 256;

/** One node, during one run. Every answer is checked. */
export class ChainNode {
  readonly call: Rpc;
  #chainId: Promise<number> | undefined;
  /** Headers that are linked to a final block by their hashes, by number. */
  readonly #linked = new Map<number, Header>();

  constructor(
    readonly url: RpcUrl,
    readonly evidence: Evidence,
    private readonly options: NodeOptions,
  ) {
    const { timeoutMs, signal } = options;
    // Failed calls are retried by reconcile, or made to another node.
    this.call = createRpc(url, { timeoutMs, retries: 0, maxBytes: MOST_BYTES, concurrency: CONCURRENCY, signal });
  }

  /** ID of its chain, which is asked once. */
  async chainId(): Promise<number> {
    this.#chainId ??= this.call('eth_chainId', []).then((answer) => readNumber(answer, 'eth_chainId'));
    try {
      return await this.#chainId;
    } catch (error) {
      this.#chainId = undefined;
      throw error;
    }
  }

  /** @throws ConfigError if the node has another chain. */
  async checkChain(chainId: number): Promise<void> {
    const own = await this.chainId();
    if (own === chainId) return;
    throw new ConfigError(
      `The node at ${this.url.origin} has the chain ${own} instead of ${chainId}. Correct \`rpcUrl\` or \`chainId\`.`,
    );
  }

  async header(number: number): Promise<Header> {
    const answer = await this.call('eth_getBlockByNumber', [hexOf(number), false]);
    const header = readHeader(answer, number);
    if (header) return header;
    throw new RangeFlaw('changed', `The node at ${this.url.origin} does not have block ${number}`);
  }

  /** The number of the last block. */
  async head(): Promise<number> {
    return readNumber(await this.call('eth_blockNumber', []), 'eth_blockNumber');
  }

  /** The last final block; undefined if no block is final yet. */
  async final(): Promise<Header | undefined> {
    const { tag, depth } = this.options.tag;
    const tagged = await this.#tagged(tag);
    const number = tagged.number - depth;
    if (number < 0) return undefined;
    const final = depth === 0 ? tagged : await this.header(number);
    await this.link(final, tagged);
    return final;
  }

  /** Throws unless `top` is an ancestor of `end`, or the same block. */
  async link(top: Header, end: Header): Promise<void> {
    if (end.number - top.number > DEEPEST_LINK) {
      // Another node that answers in between would have another block there.
      await this.header(end.number).then(({ hash }) => checkSame(end, hash));
      return checkSame(top, (await this.header(top.number)).hash);
    }
    this.#linked.set(end.number, end);
    const missing: number[] = [];
    for (let number = top.number + 1; number < end.number; number++) {
      if (!this.#linked.has(number)) missing.push(number);
    }
    // Each is kept when it arrives: if one fails, the next try asks for the rest only.
    const read = async (number: number) => void this.#linked.set(number, await this.header(number));
    await Promise.all(missing.map(read));
    let { hash } = end;
    for (let number = end.number; number > top.number; number--) {
      const header = this.#linked.get(number) as Header;
      if (header.hash !== hash) this.#broken(number);
      hash = header.parentHash;
    }
    if (top.hash !== hash) this.#broken(top.number);
  }

  #broken(number: number): never {
    this.#linked.clear();
    throw new RangeFlaw('changed', `Block ${number} is not an ancestor of the final block`);
  }

  async #tagged(tag: Tag['tag']): Promise<Header> {
    const advice = tag === 'latest' ? '' : ` If the chain has none, set \`level: { confirmations: n }\`.`;
    const answer = await this.call('eth_getBlockByNumber', [tag, false]).catch((error) => {
      // Nodes word it in many ways.
      if (!(error instanceof RpcError) || error.reason !== 'refused') throw error;
      throw new RpcError(`Cannot get the \`${tag}\` block: ${error.message}${advice}`, error);
    });
    const header = readHeader(answer);
    if (header) return header;
    throw new RpcError(`The node at ${this.url.origin} has no \`${tag}\` block.${advice}`, { reason: 'refused' });
  }
}

function checkSame({ number, hash }: Header, other: string): void {
  if (hash !== other) throw new RangeFlaw('changed', `Block ${number} was replaced while it was read`);
}
