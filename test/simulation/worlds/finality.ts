import type { WebhookEvent } from '../../../src/events/types.js';
import type { Choices } from '../kernel/choices.js';
import { planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import type { Level } from '../models/chain/network.js';
import { ChainService } from '../models/chain/service.js';
import { SECRET, Sender, type Target } from '../models/sender.js';
import { createFetch } from '../models/web/fetch.js';
import { FinalityOracle } from '../oracle/finality.js';
import { Ledger } from '../oracle/ledger.js';
import type { Subject } from '../subject/load.js';
import { ChainSetup } from './chain-setup.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

const CHAIN_ID = 31337;
const LEASE_MS = 2000;
const HANDLER_MS = 800;
const HORIZON_MS = 20_000;
const LEVELS: readonly Level[] = [
  ...(['finalized', 'finalized', 'finalized', 'finalized', 'finalized', 'safe', 'safe', 'safe'] as const),
  { confirmations: 2 },
  { confirmations: 4 },
];

/** A replica that waits until the blocks of events are final, with the store in its memory. */
export const finality: WorldDefinition = {
  name: 'finality',
  about: 'One replica with `chainFinality`, over a chain that re-orgs and nodes that lag, fail and disagree.',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const process = world.process('app');
    const level = choices.pick(LEVELS);
    const urls = choices.pick([1, 1, 2]);
    const agree = choices.pick([1, urls]);
    const setup = new ChainSetup(world, { level, urls, agree, horizonMs: HORIZON_MS });
    world.history.add('world', 'waits for blocks to be final', { level, urls, agree });
    const oracle = new FinalityOracle(world, setup.network, ledger, LEASE_MS);
    const target: { process: Process; receiver: Target['receiver'] } = { process, receiver: undefined };
    process.fetch = createFetch(process, setup.sites, setup.faults);
    const form = choices.pick(FORMS);
    const limits = { timeoutMs: HANDLER_MS, horizonMs: HORIZON_MS };

    function start(): void {
      target.receiver = undefined;
      process.start(() => {
        const logger = { debug() {}, info() {}, warn() {}, error() {} };
        target.receiver = subject.createReceiver({
          secret: SECRET,
          logger,
          store: subject.memoryStore({ leaseMs: LEASE_MS }),
          handlerTimeoutMs: HANDLER_MS,
          idempotencyKey: (event) => subject.logIdentity(event, { chainId: CHAIN_ID }),
          finality: subject.chainFinality({
            rpcUrl: [...setup.sites.keys()],
            level,
            agree,
            wait: 'redelivery',
            timeoutMs: 400,
            logger,
            ...(choices.below(2) === 0 && { chainId: CHAIN_ID }),
          }),
          ...userCode(form, subject, process, ledger, limits, oracle.began, oracle.nameOf),
          onDropped: (event) => oracle.dropped(event),
        });
      });
    }

    const sender = new Sender(world, {
      targets: [target],
      horizonMs: HORIZON_MS,
      timeoutMs: 2 * HANDLER_MS,
      backoffMs: 5000,
      onAnswer: (events: readonly WebhookEvent[], result) => oracle.answered(events, result),
    });
    const lagMs = choices.pick([0, 100, 2000]);
    const service = new ChainService(world, setup.network, sender, { lagMs, delayMs: 8000 });
    world.check(() => oracle.check());

    start();
    setup.live(3 + choices.below(5));
    planFaults(world, {
      processes: [process],
      servers: setup.servers,
      kinds: ['crash', 'pause', 'stall', 'clock', 'sleep', 'server pause'],
      others: [setup.strike, setup.strike, setup.strike, setup.lie],
      horizonMs: HORIZON_MS,
      most: 4,
      longMs: LEASE_MS,
      restart: start,
    });
    await world.run(() => world.now > HORIZON_MS + 6000 && sender.pending + service.waiting === 0);
    oracle.end(sender.pending);
    return world;
  },
};
