import { isDeepStrictEqual } from 'node:util';
import {
  placeLogs,
  readBlock,
  readFailed,
  readLog,
  readTransaction,
  sendersOf,
  txFields,
  uniqueLogs,
} from '../../../src/chain/answers.js';
import { contractAbi } from '../../../src/chain/contract-abi.js';
import { createRpc, RpcError } from '../../../src/chain/rpc.js';
import { rpcUrlOf } from '../../../src/chain/rpc-url.js';
import { check, partsOf, type Target, thrownBy } from '../target.js';

const KEY = 'k3y-of-the-node';
const URL_OF_NODE = rpcUrlOf(`http://user:${KEY}@node.example/v3/${KEY}?key=${KEY}`);
const LONGEST_MESSAGE = 1000;

const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'12'.repeat(20)}`;
const transaction = {
  ...{ hash, from: address, to: null, input: '0x', nonce: '0x1', gas: '0x5208', value: '0x0', type: '0x2' },
  ...{ maxFeePerGas: '0x1', accessList: [{ address, storageKeys: [hash] }], yParity: '0x1' },
};
const block = { number: '0x1', hash, parentHash: hash, timestamp: '0x10', transactions: [transaction] };
const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const topics = [topic, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(63)}1`];
const place = { blockHash: hash, blockNumber: '0x1', transactionHash: hash, transactionIndex: '0x0' };
const log = { address, topics, data: `0x${'0'.repeat(64)}`, logIndex: '0x0', removed: false, ...place };
const receipt = { transactionHash: hash, blockHash: hash, status: '0x1' };

const input = (name: string, type: string, indexed: boolean) => ({ name, type, indexed });
const abi = contractAbi([
  {
    ...{ type: 'event', name: 'Transfer' },
    inputs: [input('from', 'address', true), input('to', 'address', true), input('value', 'uint256', false)],
  },
]);

const answer = (result: unknown) => `200\n\n{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(result)}}`;

/** A status, a Retry-After header, and the body of the answer to the first call. */
export const target: Target = {
  seeds: [
    answer({ block, logs: [log], receipt }),
    answer({ block: { ...block, transactions: [] }, logs: [] }),
    answer({ block, logs: [log, { ...log, logIndex: '0x1', blockTimestamp: '0x10' }], receipt: null }),
    `429\n7\n{"error":{"code":-32007,"message":"too many requests for ${KEY}"}}`,
    '503\nWed, 21 Oct 2099 07:28:00 GMT\nbusy',
    '200\n\n{"id":1,"error":{"code":-32000,"message":"\\u0007 \\u202e daily"}}',
  ],
  dictionary: [
    ...'"0x1" "0x0" "0x" null {} [] "result": "error": "message": 9007199254740992'.split(' '),
    hash,
    KEY,
    encodeURIComponent(KEY),
    '\\u0000',
  ],
  mostBytes: 6000,
  async run(bytes) {
    const [head = bytes, after = bytes, body = bytes] = partsOf(bytes, 3);
    const status = Math.min(599, Math.max(200, Number.parseInt(String(head), 10) || 200));
    const outcome = await ask(status, String(after).replace(/[^\x20-\x7e]/g, ''), body);
    if (outcome.error !== undefined) return checkError(outcome.error);
    const json = JSON.parse(new TextDecoder().decode(body));
    check(status < 300, 'only an answer of success is taken');
    check(isDeepStrictEqual(json.result, outcome.result), 'the result is that of the call');
    for (const { error } of [thrownBy(() => checkAnswers(json.result))].filter((each) => each !== undefined)) {
      if (!(error instanceof RpcError)) throw error;
      check(error.reason === 'malformed', 'an invalid answer is malformed');
      checkError(error);
    }
  },
};

async function ask(status: number, after: string, body: Buffer): Promise<{ result?: unknown; error?: unknown }> {
  const bodyless = status === 204 || status === 205 || status === 304;
  const init = { status, headers: after === '' ? {} : { 'retry-after': after } };
  globalThis.fetch = async () => new Response(bodyless ? null : new Uint8Array(body), init);
  const rpc = createRpc(URL_OF_NODE, { timeoutMs: 60_000 });
  try {
    return { result: await rpc('eth_call', []) };
  } catch (error) {
    return { error };
  }
}

function checkError(error: unknown): void {
  if (!(error instanceof RpcError)) throw error;
  const { message, retryAfterMs } = error;
  check(!message.includes(KEY), 'an error does not tell the key of the node');
  check(message.length < LONGEST_MESSAGE && !/\p{C}/u.test(message), 'an error is short, without control characters');
  check(retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0), 'a pause is a duration');
}

const oddities = new Map();

/** What is read of answers: throws RpcError, or everything is well-formed. */
function checkAnswers(result: unknown): void {
  const { block: given, logs: list, receipt: of } = Object(result) as Record<string, unknown>;
  const read = readBlock(given, 1);
  if (!read) return;
  check(
    [read.hash, read.parentHash].every((each) => /^0x[0-9a-f]{64}$/.test(each)),
    'hashes are hashes',
  );
  check(
    sendersOf(read, oddities).every((each) => each === undefined || /^0x[0-9a-f]{40}$/.test(each)),
    'senders are addresses',
  );
  for (const index of read.transactions.keys()) {
    const one = readTransaction(read, index);
    JSON.stringify(txFields(read, one));
    check(/^0x([0-9a-f]{2})*$/.test(one.input ?? '0x'), 'input is bytes');
  }
  const unique = uniqueLogs(
    (Array.isArray(list) ? list : []).map((each) => readLog(each, 'log')),
    oddities,
  );
  const logs = placeLogs(unique, read, oddities);
  const isAfter = ([place, index]: number[], [place2, index2]: number[]) =>
    Number(place2) - Number(place) || Number(index2) - Number(index);
  for (const [at, each] of logs.entries()) {
    const before = logs[at - 1] ?? each;
    check(isAfter([before.place, before.logIndex], [each.place, each.logIndex]) >= 0, 'logs are in order');
    const wire = abi.emitted(each);
    check((wire !== undefined) === (each.topics[0] === topic && isTransfer(each)), 'the Transfer of ERC-20 is decoded');
  }
  const failed = readFailed(of, read, hash as `0x${string}`);
  check(failed === undefined || typeof failed === 'boolean', 'a receipt tells success');
}

/** By hand: two addresses in topics, and one word of data at least. */
function isTransfer({ topics: [, ...others], data }: { topics: readonly string[]; data: string }): boolean {
  return others.length === 2 && others.every((each) => /^0x0{24}/.test(each)) && data.length >= 66;
}
