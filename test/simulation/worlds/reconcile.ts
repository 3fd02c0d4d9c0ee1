import type { ReconcileReport } from '../../../src/chain/reconcile/report.js';
import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { Choices } from '../kernel/choices.js';
import { planFaults } from '../kernel/faults.js';
import { World } from '../kernel/world.js';
import { effectOf } from '../models/chain/event-name.js';
import type { Level } from '../models/chain/network.js';
import { ChainService } from '../models/chain/service.js';
import { token } from '../models/chain/token.js';
import { SECRET, Sender } from '../models/sender.js';
import { SharedCursor } from '../models/shared-cursor.js';
import { Ledger } from '../oracle/ledger.js';
import { ReconcileOracle } from '../oracle/reconcile.js';
import type { Subject } from '../subject/load.js';
import { ChainSetup, silent } from './chain-setup.js';
import { type Replica, Replicas } from './replicas.js';
import { SharedRedis } from './shared-redis.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

const CHAIN_ID = 31337;
const LEASE_MS = 1000;
const HANDLER_MS = 300;
const TIMEOUT_MS = 400;
const HORIZON_MS = 6000;
/** Answers are late at the healed end too: a run fails if one of its many requests takes longer than its limit. */
const MOST_LAST_RUNS = 40;
const LEVELS: readonly Level[] = ['finalized', 'finalized', 'finalized', 'safe', { confirmations: 3 }];

/** Two replicas that make good what never arrived, also at the same time. */
export const reconcile: WorldDefinition = {
  name: 'reconcile',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const level = choices.pick(LEVELS);
    const urls = choices.pick([1, 2]);
    const agree = choices.pick([1, urls]);
    const setup = new ChainSetup(world, { level, urls, agree, horizonMs: HORIZON_MS });
    const { chain } = setup.network;
    const oracle = new ReconcileOracle(world, setup.network, ledger, CHAIN_ID);
    const times = { leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS, handlerMs: HANDLER_MS };
    const redis = new SharedRedis(world, subject, ledger, times);
    const cursor = new SharedCursor(world.server('cursor'), (text, { name }) => oracle.written(text, name));
    const form = choices.pick(FORMS);
    const settings = {
      maxRange: choices.pick([1000, 1, 3]),
    };
    world.history.add('world', 'reconciles', { level, urls, agree, ...settings });
    const idempotencyKey = (event: WebhookEvent) => subject.logIdentity(event, { chainId: CHAIN_ID });

    const replicas = new Replicas(world, ['app-1', 'app-2'], (process) => {
      const limits = { timeoutMs: HANDLER_MS, horizonMs: HORIZON_MS };
      const began = redis.leases.began.bind(redis.leases);
      const receiver = subject.createReceiver({
        secret: SECRET,
        logger: silent,
        store: redis.store(process),
        handlerTimeoutMs: HANDLER_MS,
        idempotencyKey,
        ...userCode(form, subject, process, ledger, limits, began, (event) => effectOf(event, chain)),
      });
      return { receiver };
    });
    const { all } = replicas;
    setup.connect(replicas);

    /** Reconciles in a process; `then` is called with the report, unless the process dies before. */
    function run({ process, receiver }: Replica, then: (report: ReconcileReport) => void = () => {}): void {
      if (process.state === 'down' || receiver === undefined) return;
      world.history.add(process.name, 'reconciles');
      const { maxRange } = settings;
      process.deliver(0, () => {
        const source = subject.chainSource({
          ...{ rpcUrl: setup.rpcUrl, contracts: [token], level, agree, maxRange, minAgeSeconds: 0 },
          ...{ timeoutMs: TIMEOUT_MS, logger: silent },
        });
        const kept = cursor.of(process, setup.faults);
        subject
          .reconcile({
            source,
            receiver,
            from: 0,
            cursor: kept,
            retryDelayMs: 100,
            logger: silent,
          })
          .then(
            (report) => {
              const { from, to, found, repaired, left, stopped } = report;
              const details = { from, to, found, repaired, left, stopped: stopped?.reason };
              world.history.add(process.name, 'has reconciled', details);
              oracle.reported(to, process.name);
              then(report);
            },
            (error: unknown) => world.fail('reconcile rejected', String(error)),
          )
          .catch(() => {});
      });
    }

    const onAnswer = (events: readonly WebhookEvent[], { status }: DeliveryResult) => {
      if (status !== 200) return;
      for (const name of events.map((event) => effectOf(event, chain))) {
        if (ledger.effectsOf(name).length === 0) world.fail('acknowledged without effect', name);
      }
      redis.leases.acknowledged(events.map(idempotencyKey));
    };
    const sender = new Sender(world, {
      ...{ targets: all, onAnswer, horizonMs: HORIZON_MS, timeoutMs: 2 * HANDLER_MS, backoffMs: 1000 },
    });
    new ChainService(world, setup.network, sender, { lagMs: 0, delayMs: 3000, losesOneIn: 2 });

    replicas.startAll();
    setup.live(3 + choices.below(4));
    for (let runs = 1 + choices.below(4); runs > 0; runs--) {
      world.after(choices.below(HORIZON_MS), () => {
        const replica = choices.pick(all);
        run(replica);
        // Both at the same time, or a death in the middle.
        if (choices.oneIn(2)) world.after(choices.below(100), () => run(choices.pick(all)));
        if (choices.oneIn(3)) world.after(choices.below(400), () => replicas.kill(replica, LEASE_MS));
      });
    }
    planFaults(world, {
      replicas,
      servers: world.servers,
      kinds: ['crash', 'pause', 'stall', 'cut', 'half open', 'server pause', 'sleep'],
      others: [setup.strike, setup.strike, setup.hide],
      horizonMs: HORIZON_MS,
      most: 4,
      longMs: LEASE_MS,
    });

    let isOver = false;
    /** Runs until nothing is left: leases of replicas that died must be over first. */
    function lastRun(runs: number): void {
      if (runs > MOST_LAST_RUNS) world.fail('never made good', `Not even in ${MOST_LAST_RUNS} runs without faults.`);
      run(all[0] as Replica, ({ stopped, left }) => {
        if (stopped === undefined && left === 0) isOver = true;
        else world.after(LEASE_MS, () => lastRun(runs + 1));
      });
    }
    world.after(HORIZON_MS + 5000, () => lastRun(1));
    await world.run(() => isOver && sender.pending === 0);
    oracle.end();
    return world;
  },
};
