import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chainSource, reconcile, watchChain } from 'event-webhook-receiver/chain';
import { logIdentity } from 'event-webhook-receiver/evm';
import { parseAbi } from 'viem';
import { pick } from '../lib/effort.mjs';
import { createReceiver, memoryStore } from '../lib/ours.mjs';
import { summarise } from '../lib/stats.mjs';

const program = fileURLToPath(new URL('../children/chain-node.ts', import.meta.url));
const BLOCKS = pick(200, 200, 3);
const PER_BLOCK = 50;
const chainId = 31337;
const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const contracts = [{ address, abi, name: 'Token', label: 'token' }];

/** What the blocks after the first have. */
const SHAPES = {
  logs: 'for blocks with logs',
  excluded: 'where filters exclude logs',
  hit: 'where filters hit without a log',
  useless: 'where filters are of no use',
};
/** Requests a block. Where filters are of no use, chainSource reads the first range again. */
const MOST = {
  chainSource: { logs: 2.6, excluded: 1.6, hit: 3.6, useless: 5.1 },
  watchChain: { logs: 2.2, excluded: 2.2, hit: 3.2, useless: 3.2 },
};

/** What reads the chain, and resolves to the number of logs. */
const READERS = {
  async chainSource(rpcUrl) {
    let count = 0;
    const receiver = createReceiver({
      secret: 'whsec-bench',
      store: { ...memoryStore(), rememberedSince: () => 0 },
      idempotencyKey: (event) => logIdentity(event, { chainId }),
      onEvents: (entries) => {
        count += entries.length;
      },
    });
    const source = chainSource({ rpcUrl, contracts, chainId, maxRange: 100, minAgeSeconds: 0 });
    const cursor = { read: () => undefined, write: () => true };
    const { stopped } = await reconcile({ source, receiver, from: 0, cursor });
    if (stopped) throw stopped.error;
    return count;
  },
  async watchChain(rpcUrl) {
    let count = 0;
    const onEvents = (events) => {
      count += events.length;
    };
    const watcher = await watchChain({ rpcUrl, contracts, fromBlock: 0, onEvents });
    while (watcher.blockNumber < BLOCKS - 1) await setTimeout(5);
    await watcher.close();
    return count;
  },
};

const cases = Object.entries(READERS).flatMap((reader) => Object.entries(SHAPES).map((shape) => [reader, shape]));

export const benchmarks = cases.map(([[reader, read], [shape, what]]) => {
  const name = `${reader}, requests ${what}`;
  return {
    name,
    async run() {
      const execArgv = ['--import', import.meta.resolve('tsx')];
      const node = fork(program, [String(BLOCKS), String(PER_BLOCK), shape], { execArgv });
      const [port] = await once(node, 'message');
      const logs = PER_BLOCK * (shape === 'logs' ? BLOCKS : 1);
      if ((await read(`http://127.0.0.1:${port}/`)) !== logs) throw new Error('Not every log was read.');
      node.send('count');
      const [count] = await once(node, 'message');
      node.disconnect();
      const target = { max: MOST[reader][shape] };
      return [{ name, against: 'nothing', measure: 'a block', target, ...summarise([count / BLOCKS]) }];
    },
  };
});
