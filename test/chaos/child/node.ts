import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerOf, NodeError } from '../../simulation/models/chain/answer.js';
import { CHAIN_ID, type ChainStep, type HistorySettings, makeHistory } from '../chain/history.js';
import type { FromNode, ToNode, Trouble } from '../chain/messages.js';
import { monotonic } from '../clock.js';
import { createRandom } from '../random.js';

/**
 * The node of a chain, as a process: several nodes behind each of three URLs, which have come to different steps of the
 * same history. The last URL also has one that lies.
 */
const settings: HistorySettings = JSON.parse(process.argv[2] ?? '');
const { steps } = makeHistory(settings);
const random = createRandom(settings.seed ^ 0x0de);
let current = 0;
let steppedAt = 0;
let trouble: { readonly kind: Trouble; readonly until: number } | undefined;

/** How many steps behind a node can be: more than make a block final after a re-org. */
const LAGS = [0, 0, 0, 0, 1, 2, 3, 5, 9];
const LAG_IN_TROUBLE = 14;
/** Nodes catch up with a chain that no longer grows. */
const CAUGHT_UP_MS = 3000;
const LONGEST_HANG_MS = 1500;
/** Ranges and answers that are longer are refused. */
const MOST_BLOCKS = 20;
const MOST_LOGS = 60;

const tell = (message: FromNode) => void process.send?.(message);
process.on('message', (message: ToNode) => {
  if ('step' in message) {
    // Read before anybody can see the step.
    const at = monotonic();
    current = message.step;
    steppedAt = at;
    tell({ stepped: current, at });
  } else trouble = { kind: message.trouble, until: monotonic() + message.ms };
});
process.on('disconnect', () => process.exit(0));

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
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

function answer({ id, method, params = [] }: Call, lag: number, lies: boolean): object {
  const step = steps[Math.max(0, current - lag)];
  if (step === undefined) throw new RangeError(`The history has no step ${current}.`);
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
    const last = steps[current];
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
    if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, LONGEST_HANG_MS));
    request.socket.destroy();
    return;
  }
  if (now?.kind === 'limit' && random.chance(0.7)) {
    response.writeHead(429, { 'retry-after': '1' }).end('{}');
    return;
  }
  const isCaughtUp = monotonic() > steppedAt + CAUGHT_UP_MS;
  const usual = isCaughtUp ? 0 : random.pick(LAGS);
  const lag = now?.kind === 'lag' ? random.int(LAG_IN_TROUBLE / 2, LAG_IN_TROUBLE) : usual;
  const lies = request.url === '/2' && random.chance(0.3);
  const asked: Call | Call[] = JSON.parse(text);
  const answered = Array.isArray(asked) ? asked.map((each) => answer(each, lag, lies)) : answer(asked, lag, lies);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tell({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
