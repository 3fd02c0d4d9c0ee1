import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import { World } from '../kernel/world.js';
import { eventOf, keyOf } from '../models/events.js';
import { SECRET, Sender } from '../models/sender.js';
import { Drains } from '../oracle/drains.js';
import { Leases } from '../oracle/leases.js';
import { Ledger } from '../oracle/ledger.js';
import type { Letters } from '../oracle/letters.js';
import type { Subject } from '../subject/load.js';
import { playFleet } from './fleet.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

/** The times of a lease world, in ms. */
const TIMES = { leaseMs: 1000, timeoutMs: 400, horizonMs: 4000 };
export type LeaseWorldTimes = typeof TIMES;

/** The server that keeps the leases, and how a replica reaches it. */
export interface LeaseBackend {
  readonly server: Server;
  readonly pausesInSilence: boolean;
  /** The store of a replica that starts. It tells the oracle of what is asked, served and answered. */
  store(process: Process, leases: Leases): IdempotencyStore;
  readonly letters?: Letters;
}

/** How long a handler may take, and what the option says: the lease leaves no more than the last. */
const LIMITS = [
  { handlerMs: 300, handlerTimeoutMs: 300 },
  { handlerMs: 700, handlerTimeoutMs: 700 },
  { handlerMs: 900, handlerTimeoutMs: 30_000 },
] as const;

/** What `build` makes for a schedule, by its choices. */
export type BuildBackend = (world: World, subject: Subject, times: LeaseWorldTimes) => LeaseBackend;

/** Two or three replicas that share the leases on a server. */
export function leaseWorld(name: string, build: BuildBackend): WorldDefinition {
  return { name, play: (choices, subject) => play(choices, subject, build) };
}

async function play(choices: Choices, subject: Subject, build: BuildBackend): Promise<World> {
  const world = new World(choices);
  const ledger = new Ledger(world);
  const form = choices.pick(FORMS);
  const { handlerMs, handlerTimeoutMs } = choices.pick(LIMITS);
  const { leaseMs, timeoutMs, horizonMs } = TIMES;
  const backend = build(world, subject, TIMES);
  const { server, pausesInSilence, letters } = backend;
  const leases = new Leases(world, ledger, { leaseMs, timeoutMs, handlerMs, server, pausesInSilence });
  const drains = new Drains(world, ledger, (process) => leases.unrecordedOf(process));

  const { replicas, sender } = await playFleet(world, {
    replicas: 2 + choices.below(2),
    open(process) {
      const failure = letters && ((message: string) => letters.failure(subject, message));
      const limits = { timeoutMs: handlerMs, horizonMs, failure };
      const code = userCode(form, subject, process, ledger, limits, (run, token) => {
        drains.began(run);
        leases.began(run, token);
      });
      const store = backend.store(process, leases);
      const options = { secret: SECRET, store, handlerTimeoutMs, deadLetters: letters?.limits, ...code };
      return { store, receiver: subject.createReceiver(options) };
    },
    servers: [server],
    kinds: ['crash', 'pause', 'stall', 'cut', 'half open', 'server pause', 'sleep', 'clock', 'server clock'],
    others: (stop) => [
      () => {
        if (!server.isUp) return;
        server.stopFor(choices.between(1, 2 * leaseMs));
        // A replica that drains meanwhile has records to wait for.
        if (choices.oneIn(2)) world.after(choices.below(leaseMs), stop);
      },
    ],
    horizonMs,
    leaseMs,
    handlerMs,
    drains,
    letters,
    onAnswer(events, result) {
      letters?.answered(result);
      const effective = events.filter(({ id }) => !letters?.isKept(keyOf(id)));
      ledger.acknowledged(effective, result);
      if (result.status === 200) leases.acknowledged(effective.map(({ id }) => keyOf(id)));
    },
  });
  // Healed: every replica that lives knows what took effect.
  const done = [...ledger.allEffects.keys()].map(eventOf);
  const askers = replicas
    .filter(({ process }) => process.state !== 'down')
    .map((replica) => new Sender(world, { ...sender, targets: [replica], mostTries: 60 }));
  for (const asker of askers) if (done.length > 0) asker.send(done);
  await world.run(() => askers.every(({ pending }) => pending === 0));
  return world;
}
