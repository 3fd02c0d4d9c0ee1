import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

export type ScriptedNode = Awaited<ReturnType<typeof startNode>>;

/** A node with the chain that a test gives it, over real HTTP. */
export async function startNode() {
  const chain = new Chain();
  let tags: Omit<NodeView, 'chain' | 'replaced'> = {};
  const alone = (): NodeView => ({ ...tags, chain: chain.blocks });
  let viewing = alone;
  let answering: Answering = (_, __, answer) => answer;
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const waiting: ServerResponse[] = [];

  function answer(method: string, params: readonly unknown[]): unknown {
    const view = viewing();
    // A node also has blocks that a re-org replaced, up to the number of its head.
    const replaced = new Map([...chain.known].filter(([, { number }]) => number < view.chain.length));
    return answerOf({ ...view, replaced }, method, params);
  }

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { id, method, params } = JSON.parse(text);
    calls.push({ method, params });
    let result: unknown;
    try {
      result = await answering(method, params, answer(method, params));
    } catch (error) {
      const { message } = error as Error;
      const code = error instanceof NodeError ? error.code : -32000;
      result = new Raw(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
    }
    if (result === undefined) return void waiting.push(response);
    const raw = result instanceof Raw ? result : new Raw(JSON.stringify({ jsonrpc: '2.0', id, result }));
    response.writeHead(raw.status, { 'content-type': 'application/json', ...raw.headers }).end(raw.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

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
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
