import type { WebhookEvent } from '../../src/index.js';
import {
  createTestDelivery,
  sampleEventEmitted,
  sampleTransactionIncluded,
  type TestDelivery,
} from '../../src/testing/index.js';
import { type Fault, type FaultSettings, faultsOf } from './faults.js';
import type { Mode } from './modes.js';
import { createRandom, type Random } from './random.js';

export const secret = 'whsec-chaos';

/** What the plan of a run is made from. The same numbers give the same plan. */
export interface PlanSettings extends FaultSettings {
  readonly seed: number;
  readonly events: number;
}

/** One POST body; sent several times. */
export interface Delivery {
  readonly name: string;
  readonly ids: readonly string[];
  readonly signed: TestDelivery;
}

/** One sending of a delivery, which is repeated until it is acknowledged. */
export interface Sending {
  readonly delivery: Delivery;
  readonly atMs: number;
  /** Goes to this many receivers at the same instant. */
  readonly copies: number;
  /** The first try is cut off by the sender after so long. */
  readonly cutAfterMs?: number;
  /** The first answer is not read: the sender cuts it off when it comes. */
  readonly isUnread?: boolean;
  readonly retryMs: number;
}

export interface Plan {
  readonly events: readonly WebhookEvent[];
  readonly deliveries: readonly Delivery[];
  readonly sendings: readonly Sending[];
  readonly faults: readonly Fault[];
}

export function makePlan(mode: Mode, settings: PlanSettings): Plan {
  const random = createRandom(settings.seed);
  const events = Array.from({ length: settings.events }, () => {
    const id = random.uuid();
    return random.chance(0.7) ? sampleEventEmitted({ id }) : sampleTransactionIncluded({ id });
  });
  const deliveries = deliveriesOf(events, random);
  const sendings = sendingsOf(deliveries, settings.spreadMs, random);
  return { events, deliveries, sendings, faults: faultsOf(mode, settings, random) };
}

/** Each event is in one delivery at least; a quarter are in a second one, in other company, and some twice in one. */
function deliveriesOf(events: readonly WebhookEvent[], random: Random): Delivery[] {
  const groups: WebhookEvent[][] = [];
  for (const some of [events, events.filter(() => random.chance(0.25))]) {
    const left = random.shuffle(some);
    while (left.length > 0) groups.push(left.splice(0, random.chance(0.15) ? random.int(9, 25) : random.int(1, 6)));
  }
  return groups.map((group, index) => {
    const [first] = group;
    const sent = first !== undefined && random.chance(0.1) ? [...group, first] : group;
    const timestamp = Math.floor(Date.now() / 1000);
    return {
      name: `delivery ${index}`,
      ids: group.map(({ id }) => id),
      signed: createTestDelivery(sent, { secret, timestamp }),
    };
  });
}

/** Every delivery is sent at least twice, at times of no order. */
function sendingsOf(deliveries: readonly Delivery[], spreadMs: number, random: Random): Sending[] {
  const sendings = deliveries.flatMap((delivery) =>
    Array.from({ length: random.int(2, 3) }, () => ({
      delivery,
      atMs: random.int(0, spreadMs),
      copies: random.chance(0.3) ? 2 : 1,
      ...(random.chance(0.15) ? { cutAfterMs: random.int(1, 30) } : {}),
      isUnread: random.chance(0.1),
      retryMs: random.int(40, 250),
    })),
  );
  return sendings.sort((a, b) => a.atMs - b.atMs);
}
