import type { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import { keyOf } from '../models/events.js';
import { SECRET } from '../models/sender.js';
import { Drains } from '../oracle/drains.js';
import { Ledger, type Run } from '../oracle/ledger.js';
import { Letters } from '../oracle/letters.js';
import { MemoryClaims } from '../oracle/memory-claims.js';
import { explainDoublesInMemory } from '../oracle/memory-doubles.js';
import { WatchedLetters } from '../oracle/watched-letters.js';
import type { Subject } from '../subject/load.js';
import { playFleet } from './fleet.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

const LEASE_MS = 1000;
const HORIZON_MS = 4000;

/** How long a handler may take, and what the option says: the lease leaves no more than the last. */
const LIMITS = [
  { handlerMs: 300, handlerTimeoutMs: 300 },
  { handlerMs: 900, handlerTimeoutMs: 30_000 },
] as const;

/** One replica with the store in its memory: it loses the store when it dies, and drains before it stops on purpose. */
export const memory: WorldDefinition = {
  name: 'memory',
  play: (choices, subject) => play(choices, subject, false),
};

/** The same with dead letters, and without deaths, which lose these. */
export const memoryLetters: WorldDefinition = {
  name: 'memory-letters',
  play: (choices, subject) => play(choices, subject, true),
};

async function play(choices: Choices, subject: Subject, hasLetters: boolean): Promise<World> {
  const world = new World(choices);
  const ledger = new Ledger(world);
  const drains = new Drains(world, ledger);
  const keys = new WatchedLetters();
  const letters = hasLetters ? new Letters(world, keys, true) : undefined;
  const form = choices.pick(FORMS);
  const { handlerMs, handlerTimeoutMs } = choices.pick(LIMITS);
  const claims = new MemoryClaims(world, ledger, { leaseMs: LEASE_MS, handlerMs });
  const failure = letters && ((message: string) => letters.failure(subject, message));
  const limits = { timeoutMs: handlerMs, horizonMs: HORIZON_MS, failure };
  const onBegin = (run: Run, _token: unknown, deadline: number) => {
    drains.began(run);
    claims.began(run, deadline);
  };
  explainDoublesInMemory(world, ledger, LEASE_MS);
  await playFleet(world, {
    replicas: 1,
    open(process) {
      const store = keys.watch(claims.watch(process, subject.memoryStore({ leaseMs: LEASE_MS })));
      const code = userCode(form, subject, process, ledger, limits, onBegin);
      const options = {
        secret: SECRET,
        store,
        handlerTimeoutMs,
        maxInFlight: 3,
        deadLetters: letters?.limits,
        ...code,
      };
      return { receiver: subject.createReceiver(options) };
    },
    kinds: [...(letters ? [] : ['crash' as const]), 'pause', 'stall', 'clock', 'sleep'],
    horizonMs: HORIZON_MS,
    leaseMs: LEASE_MS,
    handlerMs,
    mostFaults: 3,
    drains: letters ? undefined : drains,
    letters,
    onAnswer(events, result) {
      letters?.answered(result);
      ledger.acknowledged(
        events.filter(({ id }) => !letters?.isKept(keyOf(id))),
        result,
      );
    },
  });
  return world;
}
