import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chainSource, reconcile, watchChain } from 'event-webhook-receiver/chain';
import { logIdentity } from 'event-webhook-receiver/evm';
import { parseAbi } from 'viem';
import { pick } from '../lib/effort.mjs';
import { createReceiver, memoryStore } from '../lib/ours.mjs';
import { summarise } from '../lib/stats.mjs';

const program = fileURLToPath(new URL('../children/chain-node.mjs', import.meta.url));
const BLOCKS = pick(200, 200, 3);
const PER_BLOCK = 50;
const chainId = 31337;
const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const contracts = [{ address, abi, name: 'Token', label: 'token' }];

/** What reads every log of the chain, and resolves to their number. */
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
    const source = chainSource({ rpcUrl, contracts, chainId, maxRange: 100 });
    const cursor = { read: () => undefined, write: () => true };
    const { stopped } = await reconcile({ source, receiver, from: 0, cursor });
    if (stopped) throw stopped.error;
    return count;
  },
  async watchChain(rpcUrl) {
    let count = 0;
    let watcher;
    await new Promise((resolve, reject) => {
      const onEvents = (events) => {
        count += events.length;
        if (count >= BLOCKS * PER_BLOCK) resolve();
      };
      watcher = watchChain({ rpcUrl, contracts, fromBlock: 0, onEvents });
      watcher.catch(reject);
    });
    await (await watcher).close();
    return count;
  },
};

export const benchmarks = Object.entries(READERS).map(([reader, read]) => {
  const name = `${reader}, requests for blocks with logs`;
  return {
    name,
    async run() {
      const node = fork(program, [String(BLOCKS), String(PER_BLOCK)]);
      const [port] = await once(node, 'message');
      if ((await read(`http://127.0.0.1:${port}/`)) !== BLOCKS * PER_BLOCK) throw new Error('Not every log was read.');
      node.send('count');
      const [count] = await once(node, 'message');
      node.disconnect();
      return [{ name, against: 'nothing', measure: 'a block', ...summarise([count / BLOCKS]) }];
    },
  };
});
