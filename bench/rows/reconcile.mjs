import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chainSource, reconcile } from 'event-webhook-receiver/chain';
import { logIdentity } from 'event-webhook-receiver/evm';
import { numberToHex, parseAbi } from 'viem';
import { pick } from '../lib/effort.mjs';
import { createReceiver, memoryStore } from '../lib/ours.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const program = fileURLToPath(new URL('../children/chain-node.mjs', import.meta.url));
const BLOCKS = pick(200, 200, 2);
const PER_BLOCK = 50;
const RANGE = 100;
const chainId = 31337;
const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value)',
]);

/** What a script of twenty lines does: the logs in ranges, decoded by nobody, checked by nobody. */
async function bare(url) {
  let count = 0;
  for (let from = 0; from < BLOCKS; from += RANGE) {
    const filter = { address: [address], fromBlock: numberToHex(from), toBlock: numberToHex(from + RANGE - 1) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    count += (await response.json()).result.length;
  }
  return count;
}

/** The whole way: read, checked, signed, verified, deduplicated, handled, and the cursor moved. */
async function ours(url) {
  let handled = 0;
  const receiver = createReceiver({
    secret: 'whsec-bench',
    store: { ...memoryStore(), rememberedSince: () => 0 },
    idempotencyKey: (event) => logIdentity(event, { chainId }),
    onEvents: (entries) => {
      handled += entries.length;
    },
  });
  let text;
  const write = (next) => {
    text = next;
    return true;
  };
  const contracts = [{ address, abi, name: 'Token', label: 'token' }];
  const source = chainSource({ rpcUrl: url, contracts, chainId, maxRange: RANGE });
  const report = await reconcile({ source, receiver, from: 0, cursor: { read: () => text, write } });
  if (report.stopped) throw report.stopped.error;
  return handled;
}

export const benchmarks = [
  {
    name: 'reconcile',
    async run() {
      const node = fork(program, [String(BLOCKS), String(PER_BLOCK)]);
      const [port] = await once(node, 'message');
      const url = `http://127.0.0.1:${port}/`;
      const rates = await interleave({ ours, bare }, pick(9, 3), async (read) => {
        const start = performance.now();
        if ((await read(url)) !== BLOCKS * PER_BLOCK) throw new Error('A candidate did not read every log.');
        return (1000 * BLOCKS * PER_BLOCK) / (performance.now() - start);
      });
      node.disconnect();
      const name = `reconcile ${PER_BLOCK} logs a block`;
      return [
        { name, against: 'nothing', measure: 'logs/s', target: { min: 5000 }, ...summarise(rates.ours) },
        { name: 'bare eth_getLogs', against: 'nothing', measure: 'logs/s', ...summarise(rates.bare) },
      ];
    },
  },
];
