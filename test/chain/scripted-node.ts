import { answerOf, NodeError, type NodeView } from '../simulation/models/chain/answer.js';
import type { GivenLog, GivenTransaction, Mined } from '../simulation/models/chain/block.js';
import { Chain } from '../simulation/models/chain/chain.js';

export type { Mined };
export type ScriptedLog = GivenLog;

/** What a node would answer; a test may give anything else. */
type Answering = (method: string, params: readonly unknown[], answer: unknown) => unknown;

/** Leaves out all logs of an answer. */
export function withoutLogs(method: string, answer: unknown): unknown {
  if (method === 'eth_getLogs') return [];
  if (method !== 'eth_getBlockReceipts') return answer;
  return (answer as object[]).map((receipt) => ({ ...receipt, logs: [] }));
}

/** What is not the result of a call: sent as it is. */
export class Raw {
  constructor(
    readonly body: string,
    readonly status = 200,
    readonly headers: Record<string, string> = {},
  ) {}
}

export type ScriptedNode = ReturnType<typeof createNode>;

type Answers = (request: Request) => Promise<Response | undefined>;

/** What answers at an origin, without a network: rpc.test.ts and the real chain have one. */
const sites = new Map<string, Answers>();
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const answers = input instanceof Request ? sites.get(new URL(input.url).origin) : undefined;
  if (!answers) return fetch(input, init);
  const { signal } = input as Request;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    answers(input as Request).then((response) => response && resolve(response), reject);
  });
};
const away: Answers = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));

/** A node with the chain that a test gives it. */
export function createNode() {
  const chain = new Chain();
  let tags: Omit<NodeView, 'chain' | 'replaced'> = {};
  const alone = (): NodeView => ({ ...tags, chain: chain.blocks });
  let viewing = alone;
  let answering: Answering = (_, __, answer) => answer;
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = [];

  function answer(method: string, params: readonly unknown[]): unknown {
    const view = viewing();
    // A node also has blocks that a re-org replaced, up to the number of its head.
    const replaced = new Map([...chain.known].filter(([, { number }]) => number < view.chain.length));
    return answerOf({ ...view, replaced }, method, params);
  }

  async function respond(request: Request): Promise<Response | undefined> {
    const { id, method, params } = JSON.parse(await request.text());
    // As over a network, others have their turn meanwhile.
    await new Promise(setImmediate);
    calls.push({ method, params });
    let result: unknown;
    try {
      result = await answering(method, params, answer(method, params));
    } catch (error) {
      const { message } = error as Error;
      const code = error instanceof NodeError ? error.code : -32000;
      result = new Raw(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
    }
    if (result === undefined) return undefined;
    const { body, ...init } = result instanceof Raw ? result : new Raw(JSON.stringify({ jsonrpc: '2.0', id, result }));
    return new Response(body || null, init);
  }
  const origin = `http://node-${sites.size}.test`;
  sites.set(origin, respond);

  return {
    origin,
    url: `${origin}/`,
    calls,
    mine: (...transactions: readonly GivenTransaction[]) => chain.mine(transactions),
    /** Removes blocks from the head: the blocks that are mined next replace them. */
    drop(depth: number) {
      chain.drop(depth);
    },
    get chain(): readonly Mined[] {
      return chain.blocks;
    },
    /** Continues from blocks that were on the chain before. */
    set chain(blocks: readonly Mined[]) {
      chain.putBack([...blocks]);
    },
    /** The blocks of the tags, the chain ID and the node's habits; a tag without a number is a block that the node does not have. */
    set(given: typeof tags) {
      tags = { ...tags, ...given };
    },
    /** Lets one of several nodes answer each request: a load balancer. (Default: the node itself again.) */
    behind(pick: () => NodeView = alone) {
      viewing = pick;
    },
    /** Answers otherwise: undefined lets a caller wait, an error is one of the node. */
    answer(how: Answering) {
      answering = how;
    },
    /** Has nobody answer at the URL of the node. */
    stop() {
      sites.set(origin, away);
    },
  };
}
