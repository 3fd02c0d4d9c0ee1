import { ConfigError } from '../../errors.js';
import { type Header, LONGEST_GAP, readNumber } from '../answers.js';
import { headerOf, taggedBlock } from '../chain-reader.js';
import type { Evidence } from '../evidence.js';
import type { Tag } from '../node-options.js';
import { RangeFlaw } from '../range-flaw.js';
import { createRpc, ifRefused, type Rpc } from '../rpc.js';
import type { RpcUrl } from '../rpc-url.js';

export interface NodeOptions {
  readonly tag: Tag;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Maximum concurrent requests to one node. */
export const CONCURRENCY = 8;
/** Maximum bytes in an answer: ten times a block of the largest chains. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Maximum number of blocks that are linked one by one. */
const DEEPEST_LINK = 256;

/** One node, during one run. Every answer is checked. */
export class ChainNode {
  readonly call: Rpc;
  #chainId: number | undefined;
  /** Headers that parent hashes link to a final block, by number. */
  readonly #linked = new Map<number, Header>();

  constructor(
    readonly url: RpcUrl,
    readonly evidence: Evidence,
    private readonly options: NodeOptions,
  ) {
    const { timeoutMs, signal } = options;
    // No retries here: reconcile retries failed calls, or asks another node.
    this.call = createRpc(url, { timeoutMs, retries: 0, maxBytes: MOST_BYTES, concurrency: CONCURRENCY, signal });
  }

  /** Chain ID, requested once. */
  async chainId(): Promise<number> {
    this.#chainId ??= readNumber(await this.call('eth_chainId', []), 'eth_chainId');
    return this.#chainId;
  }

  /** @throws ConfigError if the node has another chain. */
  async checkChain(chainId: number): Promise<void> {
    const own = await this.chainId();
    if (own === chainId) return;
    throw new ConfigError(
      `The node at ${this.url.origin} has the chain ${own} instead of ${chainId}. Correct \`rpcUrl\` or \`chainId\`.`,
    );
  }

  /** The block with a number, or the next lower one if the chain skipped this number. */
  async header(number: number): Promise<Header> {
    for (let at = number; at >= 0 && at > number - LONGEST_GAP; at--) {
      const header = await headerOf(this.call, at).catch(ifRefused);
      if (header) return header;
    }
    throw new RangeFlaw('absent', `The node at ${this.url.origin} does not have block ${number}`);
  }

  /** The last block, and the last final one: undefined if no block is final yet. */
  async ends(): Promise<{ readonly head: Header; readonly final: Header | undefined }> {
    const { tag, depth } = this.options.tag;
    const tagged = await taggedBlock(this.call, tag, this.url.origin);
    const head = tag === 'latest' ? tagged : await taggedBlock(this.call, 'latest', this.url.origin);
    const number = tagged.number - depth;
    if (number < 0) return { head, final: undefined };
    const final = depth === 0 ? tagged : await this.header(number);
    await this.link(final, tagged);
    return { head, final };
  }

  /** Throws unless `top` is an ancestor of `end`, or the same block. */
  async link(top: Header, end: Header): Promise<void> {
    if (end.number - top.number > DEEPEST_LINK) {
      // A different block means that another node behind the URL answered.
      await this.header(end.number).then(({ hash }) => checkSame(end, hash));
      return checkSame(top, (await this.header(top.number)).hash);
    }
    this.#linked.set(end.number, end);
    const missing: number[] = [];
    for (let number = top.number + 1; number < end.number; number++) {
      if (!this.#linked.has(number)) missing.push(number);
    }
    // Store each header as it arrives, so that a retry requests only the missing ones.
    const read = async (number: number) => {
      const header = await headerOf(this.call, number).catch(ifRefused);
      if (header) this.#linked.set(number, header);
    };
    await Promise.all(missing.map(read));
    let { hash } = end;
    for (let number = end.number; number > top.number; number--) {
      const header = this.#linked.get(number);
      // The hashes of the other headers show whether this number has a block.
      if (!header) continue;
      if (header.hash !== hash) this.#broken(number);
      hash = header.parentHash;
    }
    if (top.hash !== hash) this.#broken(top.number);
  }

  #broken(number: number): never {
    this.#linked.clear();
    throw new RangeFlaw('changed', `Block ${number} is not an ancestor of the final block`);
  }
}

function checkSame({ number, hash }: Header, other: string): void {
  if (hash !== other) throw new RangeFlaw('changed', `Block ${number} was replaced while it was read`);
}
