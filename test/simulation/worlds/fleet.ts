import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import { type FaultKind, planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import type { World } from '../kernel/world.js';
import { eventOf } from '../models/events.js';
import { Sender } from '../models/sender.js';
import type { Drains } from '../oracle/drains.js';

export interface FleetOptions {
  /** Creates the receiver of a life of a replica, with whatever it needs. Called in its first turn. `kill` ends it. */
  readonly open: (process: Process, kill: () => void) => Receiver;
  readonly servers?: readonly Server[];
  readonly kinds: readonly FaultKind[];
  /** Faults of this world alone. */
  readonly others?: readonly (() => void)[];
  readonly horizonMs: number;
  readonly leaseMs: number;
  readonly handlerMs: number;
  readonly mostFaults?: number;
  /** Replicas also drain before they end. */
  readonly drains?: Drains;
  /** Called in the turn in which a receiver has answered. */
  readonly onAnswer: (result: DeliveryResult, process: Process) => void;
}

const NAMES = ['one', 'two', 'three'];
const IDS = ['a', 'b', 'c'];

/** Plays a schedule of 2 or 3 replicas that get deliveries of few events, so that these collide. */
export async function playFleet(world: World, options: FleetOptions): Promise<World> {
  const { choices } = world;
  const { horizonMs, leaseMs, handlerMs } = options;
  const targets = NAMES.slice(0, 2 + choices.below(2)).map((name) => ({
    process: world.process(name),
    receiver: undefined as Receiver | undefined,
  }));
  const start = (process: Process) => {
    const target = targets.find((each) => each.process === process);
    if (!target) throw new Error(`${process.name} is no replica.`);
    target.receiver = undefined;
    process.start(() => {
      target.receiver = options.open(process, () => kill(process));
    });
  };
  const kill = (process: Process) => {
    process.crash();
    world.after(1 + choices.below(leaseMs / 2), () => {
      if (process.state === 'down') start(process);
    });
  };
  const stop = () => {
    const target = choices.pick(targets);
    const { process, receiver } = target;
    if (process.state !== 'running' || !receiver) return;
    options.drains?.drain(process, receiver, choices.pick([1000, 50, 5000]), () => {
      target.receiver = undefined;
      kill(process);
    });
  };
  const sender = new Sender(world, {
    targets,
    horizonMs,
    timeoutMs: 2 * handlerMs,
    backoffMs: 400,
    onAnswer: (_events, result, process) => options.onAnswer(result, process),
  });
  for (const { process } of targets) start(process);
  planFaults(world, {
    processes: targets.map(({ process }) => process),
    servers: options.servers,
    kinds: options.kinds,
    others: [...(options.others ?? []), ...(options.drains ? [stop] : [])],
    horizonMs,
    most: options.mostFaults ?? 3,
    longMs: leaseMs,
    restart: start,
  });
  const ids = IDS.slice(0, 1 + choices.below(3));
  // Some at almost the same time, so that they meet.
  const [burst, deliveries] = [choices.below(horizonMs / 2), 1 + choices.below(4)];
  for (let delivery = 0; delivery < deliveries; delivery++) {
    const events = Array.from({ length: 1 + choices.below(2) }, () => eventOf(choices.pick(ids)));
    const at = choices.below(3) < 2 ? burst + choices.below(20) : choices.below(horizonMs / 2);
    world.after(at, () => sender.send(events));
  }
  await world.run(() => world.now > horizonMs && sender.pending === 0);
  if (sender.pending > 0) world.fail('never took effect', `${sender.pending} deliveries were never acknowledged.`);
  return world;
}
