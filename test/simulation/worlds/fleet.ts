import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import { type FaultKind, planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import type { World } from '../kernel/world.js';
import { eventOf } from '../models/events.js';
import { Sender, type SenderOptions } from '../models/sender.js';
import type { Drains } from '../oracle/drains.js';
import type { Letters } from '../oracle/letters.js';
import { type Replica, Replicas } from './replicas.js';

export interface FleetOptions {
  readonly replicas: number;
  /** Creates the receiver of a life of a replica, and its store. Called in its first turn. */
  readonly open: (process: Process) => Omit<Replica, 'process'>;
  readonly servers?: readonly Server[];
  readonly kinds?: readonly FaultKind[];
  /** Faults of this world alone. `stop` drains a replica and ends it. */
  readonly others?: (stop: () => void) => readonly (() => void)[];
  readonly horizonMs: number;
  readonly leaseMs: number;
  readonly handlerMs: number;
  readonly mostFaults?: number;
  /** Replicas also drain before they end. */
  readonly drains?: Drains | undefined;
  /** With dead letters: operators retry them, at last until none is left. */
  readonly letters?: Letters | undefined;
  /** Called in the turn in which a receiver has answered. */
  readonly onAnswer: (events: readonly WebhookEvent[], result: DeliveryResult) => void;
}

const IDS = ['a', 'b', 'c'];

/** Plays a schedule of replicas that get deliveries of few events, so that these collide. Resolves to the replicas. */
export async function playFleet(
  world: World,
  options: FleetOptions,
): Promise<{ readonly replicas: readonly Replica[]; readonly sender: SenderOptions }> {
  const { choices } = world;
  const { horizonMs, leaseMs, handlerMs, onAnswer } = options;
  const names = Array.from({ length: options.replicas }, (_, at) => `app-${at + 1}`);
  const replicas = new Replicas(world, names, options.open);
  const { all } = replicas;
  const stop = () => options.drains && replicas.stop(options.drains);
  const senderOptions = { targets: all, horizonMs, timeoutMs: 2 * handlerMs, backoffMs: 400, onAnswer };
  const sender = new Sender(world, senderOptions);
  replicas.startAll();
  planFaults(world, {
    replicas,
    servers: options.servers ?? [],
    kinds: options.kinds ?? [],
    others: [...(options.drains ? [stop] : []), ...(options.others?.(stop) ?? [])],
    horizonMs,
    most: options.mostFaults ?? 4,
    longMs: leaseMs,
  });
  const ids = IDS.slice(0, 1 + choices.below(3));
  // Some at almost the same time, so that they meet.
  const [burst, deliveries] = [choices.below(horizonMs / 2), 1 + choices.below(4)];
  for (let delivery = 0; delivery < deliveries; delivery++) {
    const events = Array.from({ length: 1 + choices.below(2) }, () => eventOf(choices.pick(ids)));
    const at = choices.below(3) < 2 ? burst + choices.below(20) : choices.below(horizonMs / 2);
    world.after(at, () => sender.send(events));
  }
  const kill = (replica: Pick<Replica, 'process'>) =>
    options.kinds?.includes('crash') && replicas.kill(replica, leaseMs);
  options.letters?.operate(all, horizonMs, kill);
  await world.run(() => world.now > horizonMs && sender.pending === 0);
  await options.letters?.clear(all, leaseMs);
  if (sender.pending > 0) world.fail('never took effect', `${sender.pending} deliveries were never acknowledged.`);
  return { replicas: all, sender: senderOptions };
}
