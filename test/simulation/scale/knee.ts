import type { Subject } from '../subject/load.js';
import type { Costs } from './costs.js';
import { type Fleet, playFleet, replicaMs, type Seen, type Setup } from './fleet.js';

/** What a fleet sustains, and how it does then. */
export interface Knee {
  /** The highest rate of 1, 2 and 5 times a power of ten that is sustained; 0 if none is. */
  readonly eventsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What ends it. */
  readonly limit: string;
}

const RATES = [100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];
/** Sustained: 99 of 100 deliveries are answered 200 within this time, at the first try, and the server has time to spare. */
const MOST_MS = 100;
/** With more, what waits grows without end. */
const MOST_BUSY = 0.9;

export function quantile({ latencies }: Seen, share: number): number {
  return latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN;
}

/** Raises the rate until the fleet no longer keeps up. */
export async function findKnee<Tx>(
  subject: Subject,
  costs: Costs,
  fleetOf: () => Fleet<Tx>,
  base: Omit<Setup, 'eventsPerSecond' | 'deliveries'>,
  cores: number,
): Promise<Knee> {
  let knee: Knee = { eventsPerSecond: 0, p50Ms: Number.NaN, p99Ms: Number.NaN, limit: '' };
  for (const eventsPerSecond of RATES) {
    const perSecond = eventsPerSecond / base.eventsPerDelivery;
    const setup: Setup = {
      ...base,
      eventsPerSecond,
      deliveries: Math.round(Math.min(base.eventsPerDelivery > 1 ? 1000 : 2500, Math.max(1000, perSecond))),
    };
    const fleet = fleetOf();
    const replicaShare = (perSecond * replicaMs(costs, fleet.costs, base.eventsPerDelivery)) / 1000 / base.replicas;
    if (replicaShare > MOST_BUSY) return { ...knee, limit: 'CPU of the replicas' };
    const seen = await playFleet(setup, subject, costs, fleet);
    const p99Ms = quantile(seen, 0.99);
    const share = fleet.busyMs() / (seen.lastsMs * cores);
    if (p99Ms > MOST_MS || share > MOST_BUSY || seen.refused > setup.deliveries / 100) {
      return {
        ...knee,
        limit: share > 0.8 ? 'CPU of the server' : replicaShare > 0.8 ? 'CPU of the replicas' : 'waiting',
      };
    }
    knee = { eventsPerSecond, p50Ms: quantile(seen, 0.5), p99Ms, limit: 'none' };
  }
  return knee;
}
