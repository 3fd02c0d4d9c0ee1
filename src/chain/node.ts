import { ConfigError } from '../errors.js';
import { type Header, hexOf, malformed, readHeader, readNumber } from './answers.js';
import { createRpc, ifRefused, RpcError, type RpcOptions } from './rpc.js';
import type { RpcUrl } from './rpc-url.js';

/** A node of a chain. Checks every answer. */
export class ChainNode {
  readonly origin: string;
  readonly #rpc;
  #chainId: number | undefined;

  constructor(url: RpcUrl, options: RpcOptions) {
    this.origin = url.origin;
    this.#rpc = createRpc(url, options);
  }

  /** Calls a method. Throws only {@link RpcError}. */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#rpc(method, params);
  }

  /** Calls a method and reads its answer. */
  async ask<Value>(
    method: string,
    params: readonly unknown[],
    read: (answer: unknown, method: string) => Value,
  ): Promise<Value> {
    const answer = await this.call(method, params);
    try {
      return read(answer, method);
    } catch (error) {
      throw new RpcError(`${method} at ${this.origin} failed: ${(error as Error).message}`, { reason: 'malformed' });
    }
  }

  /** The chain ID, requested once unless `isAgain`. */
  async chainId(isAgain = false): Promise<number> {
    if (isAgain) this.#chainId = undefined;
    this.#chainId ??= await this.ask('eth_chainId', [], readNumber);
    return this.#chainId;
  }

  /** @throws ConfigError if the node has another chain. */
  async checkChain(chainId: number, isAgain = false): Promise<void> {
    const own = await this.chainId(isAgain);
    if (own === chainId) return;
    this.#chainId = undefined;
    throw new ConfigError(
      `The node at ${this.origin} has the chain ${own} instead of ${chainId}. Correct \`rpcUrl\` or \`chainId\`.`,
    );
  }

  /** The number of the last block. */
  head(): Promise<number> {
    return this.ask('eth_blockNumber', [], readNumber);
  }

  /** The block with a number, a hash or a tag; undefined if the node does not have it. */
  header(which: number | string): Promise<Header | undefined> {
    const [number, id] = typeof which === 'number' ? [which, hexOf(which)] : [undefined, which];
    const isHash = id.length === 66;
    return this.ask(isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', [id, false], (answer) => {
      const header = readHeader(answer, number);
      return isHash && header && header.hash !== which ? malformed('block.hash', 'the requested hash') : header;
    });
  }

  /** The block of a tag. */
  async tagged(tag: string): Promise<Header> {
    const advice = tag === 'latest' ? '' : ' If the chain has none, set `level: { confirmations: n }`.';
    const header = await this.header(tag).catch((error) => {
      ifRefused(error);
      // Nodes use different messages for this.
      throw new RpcError(`Cannot get the \`${tag}\` block: ${error.message}${advice}`, error);
    });
    return header ?? this.fail(`has no \`${tag}\` block.${advice}`, 'refused');
  }

  /** Throws the error for a wrong or missing answer. */
  fail(what: string, reason: RpcError['reason'] = 'malformed'): never {
    throw new RpcError(`The node at ${this.origin} ${what}`, { reason });
  }
}
