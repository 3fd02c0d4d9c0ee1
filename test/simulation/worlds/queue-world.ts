import type { WebhookEvent } from '../../../src/events/types.js';
import type { EventWorkerOptions } from '../../../src/queues/run-job.js';
import type { Enqueue } from '../../../src/receiver/options.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import type { Choices } from '../kernel/choices.js';
import { planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { eventOf } from '../models/events.js';
import { LeaseTable } from '../models/lease-table.js';
import { ScriptedChain } from '../models/scripted-chain.js';
import { SECRET, Sender } from '../models/sender.js';
import { cutAfterEffect } from '../models/wire.js';
import { Ledger } from '../oracle/ledger.js';
import { QueueOracle } from '../oracle/queues.js';
import type { Subject } from '../subject/load.js';
import { act } from './handler.js';

export const HANDLER_MS = 300;
const LEASE_MS = 1000;
const HORIZON_MS = 4000;
/** When every event must have taken effect, or be a dead letter. */
const HEALED_MS = HORIZON_MS + 120_000;

/** What the engine has of an event: nothing, a job that will run, a job that is done, or a dead letter. */
export type JobFate = 'nothing' | 'kept' | 'done' | 'dead';

/** The engine of a queue world. */
export interface QueueEngine {
  /** Opens the clients of a process and starts its worker, in a turn of the process. */
  open(replica: Replica, worker: EventWorkerOptions): Enqueue;
  /** Grows with each statement or script. */
  readonly changes: number;
  fateOf(key: string): JobFate;
  /** Whether the key has a dead letter although it has attempts left. */
  isBuriedEarly(key: string): boolean;
}

export interface Replica {
  readonly process: Process;
  /** Counts the tries, and checks how they end. */
  readonly oracle: QueueOracle;
  /** Ends the process, as an unhandled rejection does. */
  die(): void;
}

/** Remembers the results of a function, which must not change. */
export function remembering(compute: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = compute(text);
      known.set(text, result);
    }
    return result;
  };
}

/** Two replicas, each with a receiver that stores events in the queue of an engine and a worker that handles them. */
export async function playQueue(
  choices: Choices,
  subject: Subject,
  createEngine: (world: World) => QueueEngine,
): Promise<World> {
  const world = new World(choices);
  const ledger = new Ledger(world);
  const engine = createEngine(world);
  const mode = choices.pick(['none', 'leases', 'finality'] as const);
  const table = mode === 'none' ? undefined : new LeaseTable(world.server('table'));
  const chain = mode === 'finality' ? new ScriptedChain(world, HORIZON_MS) : undefined;
  const keyOf = (id: string) => (chain ? `log:${id}` : `event.emitted:${id}`);
  const oracle = new QueueOracle({ world, ledger, engine, table, chain, keyOf });
  const limits = { timeoutMs: HANDLER_MS, horizonMs: HORIZON_MS };
  const targets = ['one', 'two'].map((name) => ({
    process: world.process(name),
    receiver: undefined as Receiver | undefined,
  }));
  type Target = (typeof targets)[number];

  function workerOptions({ process }: Target): EventWorkerOptions {
    return {
      handlerTimeoutMs: HANDLER_MS,
      onEvent: async (event, context) => {
        const run = ledger.begin(process, event.id, context.idempotencyKey);
        oracle.begin(run);
        try {
          await act(process, ledger, run, context, limits);
          ledger.end(run, 'resolved');
        } catch (error) {
          ledger.end(run, 'rejected');
          throw error;
        }
      },
      ...(table && { store: subject.leasedStore(table.leases(process), { leaseMs: LEASE_MS }) }),
      ...(chain && {
        finality: chain.finality(process, (id) => oracle.waits(process, id)),
        onDropped: ({ id }: WebhookEvent) => {
          if (world.now < HORIZON_MS && choices.oneIn(3)) throw new Error('The drop cannot be stored.');
          oracle.drop(process, id);
        },
      }),
    };
  }

  function start(target: Target): void {
    const { process } = target;
    target.receiver = undefined;
    process.start(() => {
      const die = () =>
        void world.after(0, () => {
          process.crash();
          world.after(100, () => process.state === 'down' && start(target));
        });
      const enqueue = engine.open({ process, oracle, die }, workerOptions(target));
      const waiting = {
        finality: chain?.finality(process, () => {}),
        idempotencyKey: ({ id }: WebhookEvent) => keyOf(id),
      };
      const settings = { secret: SECRET, enqueue, handlerTimeoutMs: HANDLER_MS };
      target.receiver = subject.createReceiver({ ...settings, ...(chain && waiting) });
    });
  }

  const senderTo = (targets: readonly Target[]) =>
    new Sender(world, {
      ...{ targets, horizonMs: HORIZON_MS, timeoutMs: 2 * HANDLER_MS, backoffMs: 400 },
      onAnswer: (events, { status }) => {
        if (status === 200) for (const { id } of events) oracle.acknowledge(id);
      },
    });
  const sender = senderTo(targets);
  world.check(() => oracle.check());
  for (const target of targets) start(target);
  planFaults(world, {
    processes: targets.map(({ process }) => process),
    servers: world.servers,
    others: [() => cutAfterEffect(world), () => cutAfterEffect(world)],
    ...{ horizonMs: HORIZON_MS, most: 3, longMs: LEASE_MS },
    restart: (process) => {
      for (const target of targets) if (target.process === process) start(target);
    },
  });
  const ids = ['a', 'b', 'c'].slice(0, 1 + choices.below(3));
  for (let delivery = 0; delivery < 1 + choices.below(3); delivery++) {
    const events = Array.from({ length: 1 + choices.below(2) }, () => eventOf(choices.pick(ids)));
    world.after(choices.below(HORIZON_MS / 2), () => sender.send(events));
  }
  // In the end each replica takes a delivery, whatever has happened to it before.
  const probes = choices.oneIn(4) ? targets.map((target) => senderTo([target])) : [];
  world.after(HORIZON_MS, () => {
    for (const probe of probes)
      probe.send([eventOf('a')], `a (to ${targets[probes.indexOf(probe)]?.process.name} alone)`);
  });
  const senders = [sender, ...probes];
  const isOver = () => senders.every(({ pending }) => pending === 0) && oracle.isSettled();
  await world.run(() => world.now > HEALED_MS || (world.now > HORIZON_MS + 1 && isOver()));
  for (const { pending } of senders) {
    if (pending > 0) world.fail('never took effect', `${pending} deliveries were never acknowledged.`);
  }
  oracle.end();
  return world;
}
