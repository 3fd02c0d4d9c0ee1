import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { Choices } from '../kernel/choices.js';
import { planFaults } from '../kernel/faults.js';
import { World } from '../kernel/world.js';
import type { Level } from '../models/chain/network.js';
import { ChainService } from '../models/chain/service.js';
import { SECRET, Sender } from '../models/sender.js';
import { FinalityOracle } from '../oracle/finality.js';
import { Ledger, type Run } from '../oracle/ledger.js';
import { explainDoublesInMemory } from '../oracle/memory-doubles.js';
import type { Subject } from '../subject/load.js';
import { ChainSetup, silent } from './chain-setup.js';
import { Replicas } from './replicas.js';
import { SharedRedis } from './shared-redis.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

const CHAIN_ID = 31337;
const LEASE_MS = 2000;
const HANDLER_MS = 800;
const HORIZON_MS = 20_000;
const TIMES = { leaseMs: LEASE_MS, handlerMs: HANDLER_MS, timeoutMs: 400 };
const CONNECTION_FAULTS = ['cut', 'half open'] as const;
const LEVELS: readonly Level[] = [
  ...(['finalized', 'finalized', 'finalized', 'finalized', 'finalized', 'safe', 'safe', 'safe'] as const),
  { confirmations: 2 },
  { confirmations: 4 },
];

/** Replicas that wait until the blocks of events are final. */
export const finality: WorldDefinition = {
  name: 'finality',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const level = choices.pick(LEVELS);
    const urls = choices.pick([1, 1, 2]);
    const agree = choices.pick([1, urls]);
    const form = choices.pick(FORMS);
    const names = choices.pick([['app-1'], ['app-1'], ['app-1', 'app-2']]);
    world.history.add('world', 'waits for blocks to be final', { level, urls, agree, form });
    const setup = new ChainSetup(world, { level, urls, agree, horizonMs: HORIZON_MS });
    const oracle = new FinalityOracle(world, setup.network, ledger);
    const redis = names.length > 1 ? new SharedRedis(world, subject, ledger, TIMES) : undefined;
    if (!redis) explainDoublesInMemory(world, ledger, LEASE_MS);
    const replicas = new Replicas(world, names, (process) => {
      const limits = { timeoutMs: HANDLER_MS, horizonMs: HORIZON_MS };
      const began = (run: Run, token: bigint | undefined) => {
        oracle.began(run);
        redis?.leases.began(run, token);
      };
      const receiver = subject.createReceiver({
        secret: SECRET,
        logger: silent,
        store: redis?.store(process) ?? subject.memoryStore({ leaseMs: LEASE_MS }),
        handlerTimeoutMs: HANDLER_MS,
        idempotencyKey: (event) => subject.logIdentity(event, { chainId: CHAIN_ID }),
        finality: subject.chainFinality({
          ...{ rpcUrl: setup.rpcUrl, chainId: CHAIN_ID, logger: silent },
          ...{ level, agree, wait: 'redelivery', timeoutMs: TIMES.timeoutMs },
          onDropped: (event) => oracle.dropped(event),
        }),
        ...userCode(form, subject, process, ledger, limits, began, oracle.nameOf),
      });
      return { receiver };
    });
    setup.connect(replicas);

    const onAnswer = (events: readonly WebhookEvent[], result: DeliveryResult) => oracle.answered(events, result);
    const sender = new Sender(world, {
      ...{ targets: replicas.all, horizonMs: HORIZON_MS, timeoutMs: 2 * HANDLER_MS, backoffMs: 5000, onAnswer },
    });
    const lagMs = choices.pick([0, 100, 2000]);
    const service = new ChainService(world, setup.network, sender, { lagMs, delayMs: 8000 });

    replicas.startAll();
    setup.live(3 + choices.below(5));
    planFaults(world, {
      replicas,
      servers: world.servers,
      kinds: ['crash', 'pause', 'stall', 'clock', 'sleep', 'server pause', ...(redis ? CONNECTION_FAULTS : [])],
      others: [setup.strike, setup.strike, setup.strike, setup.lie],
      horizonMs: HORIZON_MS,
      most: 4,
      longMs: LEASE_MS,
    });
    await world.run(() => world.now > HORIZON_MS + 6000 && sender.pending === 0 && service.isDone);
    oracle.end(sender.pending);
    return world;
  },
};
