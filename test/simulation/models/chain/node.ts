import type { Server } from '../../kernel/server.js';
import type { HttpAnswer, Site } from '../web/fetch.js';
import { answerOf, NodeError } from './answer.js';
import type { Mined } from './block.js';

/** The chain at a moment, as a node gets it from the others. */
export interface Version {
  /** Grows with each version. */
  readonly index: number;
  readonly chain: readonly Mined[];
  readonly finalized: number;
  readonly safe: number;
}

/**
 * How a node answers: as it should; with an error of the server before it; with a request for a pause, by status or by
 * JSON-RPC error; with text that is no JSON-RPC, or is cut; with headers whose body never comes; never.
 */
export type Mood = 'well' | 'broken' | 'busy' | 'limited' | 'garbage' | 'cut' | 'no body' | 'silent';

export const MOODS: readonly Mood[] = ['broken', 'busy', 'limited', 'garbage', 'cut', 'no body', 'silent'];

/**
 * A node: it sees the chain later than others, still returns some of the blocks that a re-org replaced, and may fail or lie. It
 * never sees a block that no version of the chain had, and makes up none.
 */
export class ChainNode {
  mood: Mood = 'well';
  /** Whether it sees no later version for now. */
  isStuck = false;
  /** Leaves out logs when it returns those of a range: the blocks for which this holds. */
  hides: ((mined: Mined) => boolean) | undefined;
  /** Says that its head is final, and leaves out the logs that it hides whatever it is asked. */
  lies = false;
  /** Called with each version that it sees. */
  onSee: ((version: Version) => void) | undefined;
  #version: Version;
  readonly #replaced: Map<string, Mined> | undefined;
  readonly #chainId: number | undefined;

  constructor(version: Version, remembersReplaced: boolean, chainId?: number) {
    this.#version = version;
    this.#chainId = chainId;
    this.#replaced = remembersReplaced ? new Map() : undefined;
  }

  get version(): Version {
    return this.#version;
  }

  /** Sees a version, unless it has seen a later one. */
  see(version: Version): void {
    if (this.isStuck || version.index <= this.#version.index) return;
    const { chain } = version;
    for (const mined of this.#version.chain) {
      if (chain[mined.number] !== mined) this.#replaced?.set(mined.block.hash, mined);
    }
    this.#version = version;
    this.onSee?.(version);
  }

  /** Answers the body of a request; undefined if it never does. */
  answer(body: string): HttpAnswer | undefined {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: readonly unknown[] };
    switch (this.mood) {
      case 'broken':
        return { status: 503, text: 'no healthy upstream' };
      case 'busy':
        return { status: 429, headers: { 'retry-after': '1' }, text: '' };
      case 'limited':
        return { status: 200, text: errorText(id, -32007, 'request limit reached') };
      case 'garbage':
        return { status: 200, text: '<html></html>' };
      case 'cut':
        return { status: 200, text: this.#text(id, method, params).slice(0, -3) };
      case 'no body':
        return { status: 200, text: '', bodyAfterMs: Number.POSITIVE_INFINITY };
      case 'silent':
        return undefined;
      case 'well':
        return { status: 200, text: this.#text(id, method, params) };
    }
  }

  #text(id: number, method: string, params: readonly unknown[]): string {
    try {
      const result = this.#result(method, params);
      return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`;
    } catch (error) {
      if (error instanceof NodeError) return errorText(id, error.code, error.message);
      throw error;
    }
  }

  #result(method: string, params: readonly unknown[]): unknown {
    const { chain, finalized, safe } = this.#version;
    const tags = this.lies ? { finalized: chain.length - 1, safe: chain.length - 1 } : { finalized, safe };
    const habits = { replaced: this.#replaced, hidesUnknown: this.#replaced === undefined };
    const result = answerOf({ chain, ...tags, ...habits, chainId: this.#chainId }, method, params);
    const { hides } = this;
    if (!hides || method !== 'eth_getLogs') return result;
    if ('blockHash' in (params[0] as object) && !this.lies) return result;
    const logs = result as readonly { readonly blockNumber: string }[];
    return logs.filter(({ blockNumber }) => {
      const mined = chain[Number(blockNumber)];
      return !mined || !hides(mined);
    });
  }
}

function errorText(id: number, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** A URL with nodes behind it: any of them answers a request. */
export function siteOf(server: Server, nodes: readonly ChainNode[]): Site {
  return { server, answer: (body) => server.world.choices.pick(nodes).answer(body) };
}
