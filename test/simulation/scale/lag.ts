import { createHmac } from 'node:crypto';
import type { EventEmitted } from '../../../src/events/types.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import { EPOCH_MS } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import type { Mined } from '../models/chain/block.js';
import { ChainNetwork, type Level } from '../models/chain/network.js';
import { ChainNode, siteOf } from '../models/chain/node.js';
import { eventOf, transfers } from '../models/chain/token.js';
import { SECRET } from '../models/sender.js';
import { createFetch } from '../models/web/fetch.js';
import type { Subject } from '../subject/load.js';
import { SteadyNetwork } from './fleet.js';

export interface LagSetup {
  readonly level: Level;
  /** How long after the network the node sees each block. */
  readonly lagMs: number;
  /** When the sender tries again; `undefined`: when Retry-After says. */
  readonly retryMs?: number | undefined;
}

/** How much later than possible events are handled. */
export interface Lag {
  /** From the moment at which the block of an event is final to the handler, in ms: the median and the longest. */
  readonly medianMs: number;
  readonly worstMs: number;
  /** How often an event was sent, and how many requests its finality took, on average. */
  readonly triesPerEvent: number;
  readonly requestsPerEvent: number;
}

const BLOCK_MS = 12_000;
const EPOCH_BLOCKS = 32;
const BLOCKS = 160;
const CHAIN_ID = 31337;

/** One replica that waits for final blocks, on a chain with the times of Ethereum, and a node that lags. */
export async function measureLag(subject: Subject, { level, lagMs, retryMs }: LagSetup): Promise<Lag> {
  const world = new World(new SteadyNetwork(1, 20), { maxSteps: Number.POSITIVE_INFINITY });
  const network = new ChainNetwork(world, level);
  const node = new ChainNode(network.version, true);
  network.addNode(node, lagMs);
  const server = world.server('node');
  const site = siteOf(server, [node]);
  let requests = 0;
  const url = 'http://node.test/';
  const counted = {
    server,
    answer(body: string) {
      requests++;
      return site.answer(body);
    },
  };
  const process = world.process('app');
  process.fetch = createFetch(process, new Map([[url, counted]]));

  const minedAt = new Map<string, Mined>();
  const finalAt = new Map<number, number>();
  const delays: number[] = [];
  let receiver: Receiver | undefined;
  let events = 0;
  let tries = 0;
  process.start(() => {
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    receiver = subject.createReceiver({
      secret: SECRET,
      logger,
      idempotencyKey: (event) => subject.logIdentity(event, { chainId: CHAIN_ID }),
      finality: subject.chainFinality({ rpcUrl: url, level, chainId: CHAIN_ID, wait: 'redelivery', logger }),
      onEvent: ({ id }) => void delays.push(world.now - (finalAt.get(minedAt.get(id)?.number ?? -1) ?? Number.NaN)),
    });
  });

  function send(event: EventEmitted): void {
    tries++;
    const rawBody = JSON.stringify([event]);
    const timestamp = String(Math.floor((EPOCH_MS + world.now) / 1000));
    const signature = createHmac('sha256', SECRET).update(rawBody).update(timestamp).digest('hex');
    process.deliver(20, () => {
      void receiver?.handle({ rawBody, signature, timestamp }).then(({ status, retryAfterSeconds = 5 }) => {
        if (status !== 200) world.after(retryMs ?? 1000 * retryAfterSeconds, () => send(event));
      });
    });
  }

  function noteFinal(): void {
    for (let number = finalAt.size; number <= network.finalNumber; number++) finalAt.set(number, world.now);
  }

  for (let block = 1; block <= 3 * BLOCKS; block++) {
    world.after(block * BLOCK_MS, () => {
      network.mine([transfers(1)]);
      const { height, blocks } = network.chain;
      // Blocks of the epoch before the last become final when an epoch ends.
      if (height % EPOCH_BLOCKS === 0) network.finalize(height - 2 * EPOCH_BLOCKS, height - EPOCH_BLOCKS);
      noteFinal();
      if (block > BLOCKS) return;
      const mined = blocks.at(-1) as Mined;
      const event = eventOf(mined, 0, `event ${++events}`, false);
      minedAt.set(event.id, mined);
      send(event);
    });
  }
  await world.run(() => events === BLOCKS && delays.length === events);
  delays.sort((a, b) => a - b);
  return {
    medianMs: delays[delays.length >> 1] ?? Number.NaN,
    worstMs: delays.at(-1) ?? Number.NaN,
    triesPerEvent: tries / events,
    requestsPerEvent: requests / events,
  };
}
