import type { WebhookEvent } from '../../src/index.js';
import {
  createTestDelivery,
  sampleEventEmitted,
  sampleTransactionIncluded,
  type TestDelivery,
} from '../../src/testing/index.js';
import { chainDeliveries } from './chain/deliveries.js';
import { type History, makeHistory } from './chain/history.js';
import { allHappenings } from './chain/logs.js';
import { type Fault, type FaultSettings, faultsOf } from './faults.js';
import { type Misuses, planMisuses } from './misuse.js';
import type { Mode } from './modes.js';
import { createRandom, type Random } from './random.js';

export const secret = 'whsec-chaos';

/** What the plan of a run is made from. The same numbers give the same plan. */
export interface PlanSettings extends FaultSettings {
  readonly seed: number;
  readonly events: number;
  /** How many events have a handler that ends its transaction, where there is one. */
  readonly misuses: number;
}

/** One POST body; sent several times. */
export interface Delivery {
  readonly name: string;
  /** Of its events, or of what these are about on a chain. */
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
  readonly misuses: Misuses;
  /** What takes effect in the end. */
  readonly expected: readonly string[];
  readonly chain?: ChainPlan;
}

/** The chain of a mode with finality. */
export interface ChainPlan {
  readonly history: History;
  readonly lost: readonly string[];
}

export function makePlan(mode: Mode, settings: PlanSettings): Plan {
  const random = createRandom(settings.seed);
  if (mode.finality) return planOfChain(mode, settings, random);
  const events = Array.from({ length: settings.events }, () => {
    const id = random.uuid();
    return random.chance(0.7) ? sampleEventEmitted({ id }) : sampleTransactionIncluded({ id });
  });
  const deliveries = deliveriesOf(events, random);
  const sendings = sendingsOf(deliveries, settings.spreadMs, random);
  const expected = events.map(({ id }) => id);
  const faults = faultsOf(mode, settings, random);
  const misuses = planMisuses(mode, expected, settings.misuses, random);
  return { events, deliveries, sendings, faults, misuses, expected };
}

function planOfChain(mode: Mode, settings: PlanSettings, random: Random): Plan {
  const { seed, events, spreadMs } = settings;
  // So that no block is of the future, whatever its number.
  const genesisAt = Math.floor(Date.now() / 1000) - spreadMs;
  const history = makeHistory(seed, events, spreadMs, genesisAt);
  const { lost, ...sent } = chainDeliveries(history, random);
  const expected = [...allHappenings(history).finalSince.keys()];
  const faults = faultsOf(mode, settings, random);
  const misuses = planMisuses(mode, expected, settings.misuses, random);
  return { ...sent, faults, misuses, expected, chain: { history, lost } };
}

/** A delivery as it is sent. */
export function signed(events: readonly WebhookEvent[]): TestDelivery {
  return createTestDelivery(events, { secret, timestamp: Math.floor(Date.now() / 1000) });
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
    return { name: `delivery ${index}`, ids: group.map(({ id }) => id), signed: signed(sent) };
  });
}

/** Every delivery is sent at least twice, at times of no order. */
function sendingsOf(deliveries: readonly Delivery[], spreadMs: number, random: Random): Sending[] {
  const sendings = deliveries.flatMap((delivery) =>
    Array.from({ length: random.int(2, 3) }, () => sendingOf(delivery, random.int(0, spreadMs), random)),
  );
  return sendings.sort((a, b) => a.atMs - b.atMs);
}

export function sendingOf(delivery: Delivery, atMs: number, random: Random): Sending {
  return {
    delivery,
    atMs,
    copies: random.chance(0.3) ? 2 : 1,
    ...(random.chance(0.15) ? { cutAfterMs: random.int(1, 30) } : {}),
    isUnread: random.chance(0.1),
    retryMs: random.int(40, 250),
  };
}
