import { createHmac } from 'node:crypto';
import type { Receiver } from '../../../src/receiver/receiver.js';
import type { IdempotencyStore } from '../../../src/stores/store.js';
import { Choices } from '../kernel/choices.js';
import { EPOCH_MS, type Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { eventOf } from '../models/events.js';
import { SECRET } from '../models/sender.js';
import type { Subject } from '../subject/load.js';
import type { Costs, StoreCosts } from './costs.js';

/** Who receives how much. */
export interface Setup {
  readonly replicas: number;
  readonly eventsPerSecond: number;
  readonly eventsPerDelivery: number;
  /** How long a handler waits for something else, such as another service. */
  readonly handlerMs: number;
  /** One way between replicas and the server, and between the sender and replicas. */
  readonly networkMs: number;
  /** When a replica dies, in ms. */
  readonly deathAt?: number | undefined;
  readonly retryMs?: number | undefined;
  readonly deliveries: number;
}

/** What the sender saw. */
export interface Seen {
  /** From the first try to the 200, sorted, in ms. */
  readonly latencies: readonly number[];
  /** Tries that were not answered 200. */
  readonly refused: number;
  readonly lastsMs: number;
}

/** The store of one replica, and what its handler writes. */
export interface Replica<Tx> {
  readonly store: IdempotencyStore<Tx>;
  readonly effect?: ((tx: Tx, ids: readonly string[]) => Promise<unknown>) | undefined;
}

/** Replicas that share a server. */
export interface Fleet<Tx> {
  /** Sets the server up, and returns what sets a replica up in its first turn. */
  storesOf(world: World): (process: Process) => Replica<Tx>;
  readonly costs: StoreCosts;
  /** How long the cores of the server have worked, in ms. */
  busyMs(): number;
}

/** Every message takes the same time. */
export class SteadyNetwork extends Choices {
  readonly #ms: number;

  constructor(seed: number, ms: number) {
    const random = Choices.ofSeed(seed);
    super((options) => random.below(options));
    this.#ms = ms;
  }

  override latency(): number {
    return this.#ms;
  }
}

/** The CPU that a replica spends on a delivery. */
export function replicaMs({ replica }: Costs, { client }: StoreCosts, events: number): number {
  return replica.perDeliveryMs + client.perCallMs + (replica.perEventMs + client.perKeyMs) * events;
}

/** Plays a fleet of real receivers under load: deliveries arrive at random times, each at a random replica. */
export async function playFleet<Tx>(
  setup: Setup,
  subject: Subject,
  costs: Costs,
  fleet: Fleet<Tx>,
  seed = 1,
): Promise<Seen> {
  const { replicas, eventsPerDelivery, handlerMs, networkMs, deliveries, retryMs = 1000 } = setup;
  const world = new World(new SteadyNetwork(seed, networkMs), { maxSteps: Number.POSITIVE_INFINITY });
  const { choices } = world;
  const replicaOf = fleet.storesOf(world);
  const turnMs = replicaMs(costs, fleet.costs, eventsPerDelivery);
  const receivers: { readonly process: Process; receiver?: Receiver }[] = [];

  for (let index = 0; index < replicas; index++) {
    const process = world.process(`replica ${index}`);
    const place: { readonly process: Process; receiver?: Receiver } = { process };
    receivers.push(place);
    process.start(() => {
      const { store, effect } = replicaOf(process);
      place.receiver = subject.createReceiver({
        secret: SECRET,
        store: store as IdempotencyStore<undefined>,
        async onEvents(entries, { tx }) {
          if (effect)
            await effect(
              tx as Tx,
              entries.map(({ event }) => event.id),
            );
          if (handlerMs > 0) await new Promise<void>((resolve) => process.setTimeout(resolve, handlerMs));
        },
      });
    });
  }

  const latencies: number[] = [];
  let refused = 0;
  let left = deliveries;

  function send(body: Buffer, since: number): void {
    // A load balancer passes nothing to a replica that is down.
    const alive = receivers.filter((each) => each.process.state !== 'down');
    const { process, receiver } = choices.pick(alive);
    const timestamp = String(Math.floor((EPOCH_MS + world.now) / 1000));
    const signature = createHmac('sha256', SECRET).update(body).update(timestamp).digest('hex');
    let isAnswered = false;
    const answered = (status: number) => {
      if (isAnswered) return;
      isAnswered = true;
      if (status === 200) {
        latencies.push(world.now - since);
        left--;
      } else {
        refused++;
        world.after(retryMs, () => send(body, since));
      }
    };
    const { deaths } = process;
    world.after(networkMs, () =>
      process.turn(process.life, () => {
        process.spend(turnMs);
        void receiver?.handle({ rawBody: body, signature, timestamp }).then(({ status }) => {
          world.after(process.time - world.now + networkMs, () => answered(status));
        });
      }),
    );
    // The sender learns of a death when the connection breaks.
    if (setup.deathAt !== undefined && process === receivers[0]?.process) {
      world.after(Math.max(0, setup.deathAt - world.now) + networkMs, () => deaths.length > 0 && answered(503));
    }
  }

  const gapMs = (1000 * eventsPerDelivery) / setup.eventsPerSecond;
  let at = 1;
  for (let delivery = 0; delivery < deliveries; delivery++) {
    at += -Math.log(1 - choices.below(1_000_000) / 1_000_000) * gapMs;
    const events = Array.from({ length: eventsPerDelivery }, (_, index) => eventOf(`e${delivery}.${index}`));
    world.after(at, () => send(Buffer.from(JSON.stringify(events)), world.now));
  }
  if (setup.deathAt !== undefined) world.after(setup.deathAt, () => receivers[0]?.process.crash());
  await world.run(() => left === 0);
  latencies.sort((a, b) => a - b);
  return { latencies, refused, lastsMs: world.now };
}
