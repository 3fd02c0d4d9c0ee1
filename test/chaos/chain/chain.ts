import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf, NodeError } from '../../simulation/models/chain/answer.js';
import { monotonic, sleep } from '../clock.js';
import { createRandom } from '../random.js';
import { CHAIN_ID, type ChainStep, type History } from './history.js';

/** What goes wrong with a node: it does not answer, answers from old blocks, or answers 429. */
export type Trouble = 'away' | 'lag' | 'limit';

/** A chain that goes through its history, and its nodes. */
export type Chain = Awaited<ReturnType<typeof startChain>>;

/** How many steps behind a node can be: more than make a block final after a re-org. */
const LAGS = [0, 0, 0, 0, 1, 2, 3, 5, 9];
const LAG_IN_TROUBLE = 14;
/** Nodes catch up with a chain that no longer grows. */
const CAUGHT_UP_MS = 3000;
const LONGEST_HANG_MS = 1500;
/** Ranges and answers that are longer are refused. */
const MOST_BLOCKS = 20;
const MOST_LOGS = 60;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Starts the nodes of a chain: several behind each of three URLs, which have come to different steps of the same history. */
export async function startChain(seed: number, history: History) {
  const { steps } = history;
  const random = createRandom(seed ^ 0x0de);
  /** When the nodes came to each step, on the monotonic clock: before anybody could see it. */
  const steppedAt = [monotonic()];
  let trouble: { readonly kind: Trouble; readonly until: number } | undefined;
  const current = () => steppedAt.length - 1;

  function answer({ id, method, params = [] }: Call, lag: number, lies: boolean): object {
    const step = steps[Math.max(0, current() - lag)];
    if (step === undefined) throw new RangeError(`The history has no step ${current()}.`);
    try {
      const result = resultOf(step, method, params);
      return { jsonrpc: '2.0', id, result: lies ? lie(method, params, result) : result };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
    }
  }

  /** Blocks that are not there, hashes that were never mined, a chain that is final up to its head, logs that are missing. */
  function lie(method: string, [first]: readonly unknown[], result: unknown): unknown {
    if (method === 'eth_getLogs' && Array.isArray(result)) return result.filter(() => random.chance(0.8));
    if (method !== 'eth_getBlockByNumber') return random.chance(0.1) ? null : result;
    if (first === 'finalized' || first === 'safe') {
      const last = steps[current()];
      return last && random.chance(0.7) ? resultOf(last, method, ['latest']) : result;
    }
    if (random.chance(0.3)) return null;
    return result && { ...result, hash: `0x${random.hex(64)}` };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const now = trouble !== undefined && monotonic() < trouble.until ? trouble : undefined;
    if (now?.kind === 'away') {
      if (random.chance(0.5)) await sleep(LONGEST_HANG_MS);
      request.socket.destroy();
      return;
    }
    if (now?.kind === 'limit' && random.chance(0.7)) {
      response.writeHead(429, { 'retry-after': '1' }).end('{}');
      return;
    }
    const isCaughtUp = monotonic() > (steppedAt.at(-1) ?? 0) + CAUGHT_UP_MS;
    const usual = isCaughtUp ? 0 : random.pick(LAGS);
    const lag = now?.kind === 'lag' ? random.int(LAG_IN_TROUBLE / 2, LAG_IN_TROUBLE) : usual;
    const lies = request.url === '/2' && random.chance(0.3);
    const asked: Call | Call[] = JSON.parse(text);
    const answered = Array.isArray(asked) ? asked.map((each) => answer(each, lag, lies)) : answer(asked, lag, lies);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: NodeJS.ErrnoException) => {
      // A process that was killed while it asked.
      if (error.code !== 'ECONNRESET') throw error;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** A load balancer, another one, and one that also has a node that lies. */
    urls: [0, 1, 2].map((index) => `http://127.0.0.1:${port}/${index}`),
    history,
    steppedAt,
    /** Goes to the next step. */
    advance: () => void steppedAt.push(monotonic()),
    trouble(kind: Trouble, ms: number) {
      trouble = { kind, until: monotonic() + ms };
    },
    async stop() {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** What a node that has come to a step of the history answers. */
function resultOf({ chain, final }: ChainStep, method: string, params: readonly unknown[]): unknown {
  const { blockHash, fromBlock, toBlock } = Object(params[0]);
  if (Number(toBlock) - Number(fromBlock) >= MOST_BLOCKS) throw new NodeError(-32000, `at most ${MOST_BLOCKS} blocks`);
  const view = { chain, finalized: final, safe: final, chainId: CHAIN_ID, hidesUnknown: blockHash === undefined };
  const result = answerOf(view, method, params);
  const isLong = Array.isArray(result) && result.length > MOST_LOGS && fromBlock !== toBlock;
  if (isLong) throw new NodeError(-32000, `query returned more than ${MOST_LOGS} results`);
  return result;
}
