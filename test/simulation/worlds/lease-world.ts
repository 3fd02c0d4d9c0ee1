import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Choices } from '../kernel/choices.js';
import { type FaultKind, planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import { World } from '../kernel/world.js';
import { eventOf, keyOf } from '../models/events.js';
import { SECRET, Sender } from '../models/sender.js';
import { Drains } from '../oracle/drains.js';
import { Leases } from '../oracle/leases.js';
import { Ledger } from '../oracle/ledger.js';
import type { Subject } from '../subject/load.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

/** The times of a lease world, in ms. */
export interface LeaseWorldTimes {
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly horizonMs: number;
}

/** The server that keeps the leases, and how a replica reaches it. */
export interface LeaseBackend {
  readonly server: Server;
  readonly pausesInSilence: boolean;
  readonly kinds: readonly FaultKind[];
  /** Called once, before anything happens. */
  watch(leases: Leases): void;
  /** The store of a replica that starts. */
  store(process: Process): IdempotencyStore;
}

const LEASE_MS = 1000;
const TIMEOUT_MS = 400;
const HORIZON_MS = 4000;

/** How long a handler may take, and what the option says: the lease leaves no more than the last. */
const LIMITS = [
  { handlerMs: 300, handlerTimeoutMs: 300 },
  { handlerMs: 700, handlerTimeoutMs: 700 },
  { handlerMs: 750, handlerTimeoutMs: 30_000 },
] as const;

/** What `build` makes for a schedule, by its choices. */
export type BuildBackend = (world: World, subject: Subject, times: LeaseWorldTimes) => LeaseBackend;

/** Two or three replicas that share the leases on a server. */
export function leaseWorld(name: string, about: string, build: BuildBackend): WorldDefinition {
  return { name, about, play: (choices, subject) => play(choices, subject, build) };
}

async function play(choices: Choices, subject: Subject, build: BuildBackend): Promise<World> {
  const world = new World(choices);
  const ledger = new Ledger(world);
  const form = choices.pick(FORMS);
  const { handlerMs, handlerTimeoutMs } = choices.pick(LIMITS);
  const backend = build(world, subject, { leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS, horizonMs: HORIZON_MS });
  const { server, pausesInSilence } = backend;
  const leases = new Leases(world, ledger, {
    ...{ leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS, handlerMs, server, pausesInSilence },
  });
  backend.watch(leases);
  const drains = new Drains(world, ledger, (process) => leases.unrecordedOf(process));

  const targets = Array.from({ length: 2 + choices.below(2) }, (_, index) => {
    const process = world.process(`app-${index + 1}`);
    return { process, receiver: undefined as Receiver | undefined, store: undefined as IdempotencyStore | undefined };
  });
  type Target = (typeof targets)[number];

  function start(target: Target): void {
    const { process } = target;
    target.receiver = undefined;
    const limits = { timeoutMs: handlerMs, horizonMs: HORIZON_MS };
    process.start(() => {
      const code = userCode(form, subject, process, ledger, limits, (run, fencingToken) => {
        drains.began(run);
        leases.began(run, fencingToken);
      });
      const store = backend.store(process);
      target.store = store;
      target.receiver = subject.createReceiver({
        secret: SECRET,
        store,
        handlerTimeoutMs,
        ...code,
      });
    });
  }

  function restart(process: Process): void {
    for (const target of targets) if (target.process === process) start(target);
  }

  function stop(): void {
    const target = choices.pick(targets);
    const { process, receiver } = target;
    if (process.state !== 'running' || !receiver) return;
    const stopped = () => {
      target.receiver = undefined;
      process.crash();
      world.after(20, () => start(target));
    };
    drains.drain(process, receiver, choices.pick([1000, 50, 5000]), stopped, target.store);
  }

  function stopServer(): void {
    if (!server.isUp) return;
    server.stop();
    world.after(choices.between(1, 2 * LEASE_MS), () => server.restart());
    // A replica that drains meanwhile has records to wait for.
    if (choices.oneIn(2)) world.after(choices.below(LEASE_MS), stop);
  }

  const onAnswer = (events: readonly { readonly id: string }[], { status }: DeliveryResult) => {
    if (status !== 200) return;
    for (const { id } of events) {
      if (ledger.effectsOf(id).length === 0) world.fail('acknowledged without effect', `${id} has not taken effect.`);
    }
    leases.acknowledged(events.map(({ id }) => keyOf(id)));
  };
  const senderOptions = { horizonMs: HORIZON_MS, timeoutMs: 2 * handlerMs, backoffMs: 400, onAnswer };
  const sender = new Sender(world, { ...senderOptions, targets });

  const ids = ['a', 'b', 'c'].slice(0, 1 + choices.below(3));
  for (const target of targets) start(target);
  planFaults(world, {
    processes: targets.map(({ process }) => process),
    servers: [server],
    kinds: backend.kinds,
    others: [stop, stopServer],
    horizonMs: HORIZON_MS,
    most: 4,
    longMs: LEASE_MS,
    restart,
  });
  // Some at almost the same time, so that they meet.
  const [burst, deliveries] = [choices.below(HORIZON_MS / 2), 1 + choices.below(4)];
  for (let delivery = 0; delivery < deliveries; delivery++) {
    const events = Array.from({ length: 1 + choices.below(2) }, () => eventOf(choices.pick(ids)));
    const at = choices.below(3) < 2 ? burst + choices.below(20) : choices.below(HORIZON_MS / 2);
    world.after(at, () => sender.send(events));
  }
  await world.run(() => world.now > HORIZON_MS && sender.pending === 0);
  if (sender.pending > 0) world.fail('never took effect', `${sender.pending} deliveries were never acknowledged.`);
  // Healed: every replica that lives knows what took effect.
  const done = ids.filter((id) => ledger.effectsOf(id).length > 0).map(eventOf);
  const askers = targets
    .filter(({ process }) => process.state !== 'down')
    .map((target) => new Sender(world, { ...senderOptions, targets: [target], mostTries: 60 }));
  for (const asker of askers) if (done.length > 0) asker.send(done);
  await world.run(() => askers.every(({ pending }) => pending === 0));
  return world;
}
