import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import type { Choices } from '../kernel/choices.js';
import { planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { eventOf } from '../models/events.js';
import { SECRET, Sender } from '../models/sender.js';
import { Drains } from '../oracle/drains.js';
import { Ledger, type Run } from '../oracle/ledger.js';
import { MemoryClaims } from '../oracle/memory-claims.js';
import { explainDoublesInMemory } from '../oracle/memory-doubles.js';
import type { Subject } from '../subject/load.js';
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
  about: 'One replica with `memoryStore`, every form of handler, deaths, freezes and drains.',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const process = world.process('app');
    const target: { process: Process; receiver: Receiver | undefined } = { process, receiver: undefined };
    const drains = new Drains(world, ledger);
    const form = choices.pick(FORMS);
    const { handlerMs, handlerTimeoutMs } = choices.pick(LIMITS);
    const claims = new MemoryClaims(world, ledger, { leaseMs: LEASE_MS, handlerMs });
    const limits = { timeoutMs: handlerMs, horizonMs: HORIZON_MS };
    const onBegin = (run: Run) => {
      drains.began(run);
      claims.began(run);
    };

    function start(): void {
      target.receiver = undefined;
      process.start(() => {
        target.receiver = subject.createReceiver({
          secret: SECRET,
          store: claims.watch(process, subject.memoryStore({ leaseMs: LEASE_MS })),
          handlerTimeoutMs,
          maxInFlight: 3,
          ...userCode(form, subject, process, ledger, limits, onBegin),
        });
      });
    }

    function stop(): void {
      const { receiver } = target;
      if (process.state !== 'running' || !receiver) return;
      drains.drain(process, receiver, choices.pick([1000, 50, 5000]), () => {
        target.receiver = undefined;
        process.crash();
        world.after(20, start);
      });
    }

    const sender = new Sender(world, {
      targets: [target],
      horizonMs: HORIZON_MS,
      timeoutMs: 2 * handlerMs,
      backoffMs: 400,
      onAnswer: (events, result) => acknowledged(world, ledger, events, result),
    });
    explainDoublesInMemory(world, ledger, LEASE_MS);

    const ids = ['a', 'b', 'c'].slice(0, 1 + choices.below(3));
    start();
    planFaults(world, {
      processes: [process],
      kinds: ['crash', 'pause', 'stall', 'clock', 'sleep'],
      others: [stop],
      horizonMs: HORIZON_MS,
      most: 3,
      longMs: LEASE_MS,
      restart: start,
    });
    for (let delivery = 0; delivery < 1 + choices.below(3); delivery++) {
      const events = Array.from({ length: 1 + choices.below(2) }, () => eventOf(choices.pick(ids)));
      world.after(choices.below(HORIZON_MS / 2), () => sender.send(events));
    }
    await world.run(() => world.now > HORIZON_MS && sender.pending === 0);
    if (sender.pending > 0) world.fail('never took effect', `${sender.pending} deliveries were never acknowledged.`);
    return world;
  },
};

/** Each event of a delivery that is answered 200 has taken effect. */
function acknowledged(
  world: World,
  ledger: Ledger,
  events: readonly { readonly id: string }[],
  { status }: DeliveryResult,
): void {
  if (status !== 200) return;
  for (const { id } of events) {
    if (ledger.effectsOf(id).length === 0) world.fail('acknowledged without effect', `${id} has not taken effect.`);
  }
}
