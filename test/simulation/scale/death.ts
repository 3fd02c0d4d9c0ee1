import type { Subject } from '../subject/load.js';
import type { Costs } from './costs.js';
import { type Fleet, playFleet, type Setup } from './fleet.js';

/** What the death of one replica costs. */
export interface Death {
  /** Deliveries that took longer than a second. */
  readonly delayed: number;
  /** The longest time from the first try to the 200, in ms. */
  readonly worstMs: number;
  /** Tries that were refused, of all deliveries. */
  readonly refused: number;
}

/** Kills one replica in the middle of a load. */
export async function measureDeath<Tx>(
  subject: Subject,
  costs: Costs,
  fleet: Fleet<Tx>,
  setup: Omit<Setup, 'deliveries' | 'deathAt'>,
): Promise<Death> {
  const deliveries = Math.round(setup.eventsPerSecond / setup.eventsPerDelivery);
  const { latencies, refused } = await playFleet({ ...setup, deliveries, deathAt: 500 }, subject, costs, fleet);
  const delayed = latencies.filter((ms) => ms > 1000).length;
  return { delayed, worstMs: latencies.at(-1) ?? 0, refused };
}
