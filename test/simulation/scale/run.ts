// Asks the simulation how a fleet scales, and prints the tables of SCALE.md: `npx tsx test/simulation/scale/run.ts [table …]`.
import { loadSubject } from '../subject/load.js';
import { readCosts } from './costs.js';
import { measureDeath } from './death.js';
import type { Fleet } from './fleet.js';
import { findKnee } from './knee.js';
import { measureLag } from './lag.js';
import { postgresFleet } from './postgres.js';
import { redisFleet } from './redis.js';

const POSTGRES_CORES = 8;
const CONNECTIONS = 100;
const NETWORK_MS = 0.25;
const HANDLER_MS = 5;

const subject = await loadSubject();
const costs = readCosts();
const postgres = (transactional: boolean, leaseMs: number) => () =>
  postgresFleet(subject, costs, { cores: POSTGRES_CORES, connections: CONNECTIONS, transactional, leaseMs });

interface Store {
  readonly name: string;
  readonly cores: number;
  readonly handlerMs: number;
  /** Each has its own transaction, which nobody but its handler uses. */
  fleet(leaseMs: number): () => Fleet<unknown>;
}

const STORES: readonly Store[] = [
  {
    name: 'Redis',
    cores: 1,
    handlerMs: HANDLER_MS,
    fleet: (leaseMs) => () => redisFleet(subject, costs, leaseMs) as Fleet<unknown>,
  },
  {
    name: 'Postgres, leases',
    cores: POSTGRES_CORES,
    handlerMs: HANDLER_MS,
    fleet: (leaseMs) => postgres(false, leaseMs) as () => Fleet<unknown>,
  },
  {
    name: 'Postgres, transactional',
    cores: POSTGRES_CORES,
    // The handler's statement is part of the transaction.
    handlerMs: 0,
    fleet: (leaseMs) => postgres(true, leaseMs) as () => Fleet<unknown>,
  },
];

async function knees(): Promise<void> {
  console.log(
    '| store | events a delivery | replicas | events/s sustained | p50 / p99 there, ms | then the limit is |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const { name, cores, handlerMs, fleet } of STORES) {
    for (const eventsPerDelivery of [1, 100]) {
      for (const replicas of [10, 100, 1000]) {
        const base = { replicas, eventsPerDelivery, handlerMs, networkMs: NETWORK_MS };
        const knee = await findKnee(subject, costs, fleet(60_000), base, cores);
        const quantiles = `${knee.p50Ms.toFixed(1)} / ${knee.p99Ms.toFixed(1)}`;
        console.log(
          `| ${name} | ${eventsPerDelivery} | ${replicas} | ${knee.eventsPerSecond.toLocaleString('en')} | ${quantiles} | ${knee.limit} |`,
        );
      }
    }
  }
}

async function deaths(): Promise<void> {
  console.log('| store | lease, s | handler, ms | delayed by more than 1 s | longest, s | refused tries |');
  console.log('|---|---|---|---|---|---|');
  for (const { name, fleet } of STORES) {
    for (const leaseMs of name.includes('transactional') ? [60_000] : [60_000, 10_000]) {
      for (const handlerMs of [5, 200]) {
        const setup = { replicas: 10, eventsPerSecond: 1000, eventsPerDelivery: 1, handlerMs, networkMs: NETWORK_MS };
        const { delayed, worstMs, refused } = await measureDeath(subject, costs, fleet(leaseMs)(), setup);
        console.log(
          `| ${name} | ${leaseMs / 1000} | ${handlerMs} | ${delayed} of 1,000 | ${(worstMs / 1000).toFixed(1)} | ${refused} |`,
        );
      }
    }
  }
}

async function lags(): Promise<void> {
  console.log(
    '| level | node behind by, s | sender tries again | later than final: median / longest, s | tries an event | requests an event |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const level of ['finalized', { confirmations: 12 }] as const) {
    for (const lagMs of [0, 2000, 12_000, 60_000, 600_000]) {
      for (const retryMs of [undefined, 300_000]) {
        const lag = await measureLag(subject, { level, lagMs, retryMs });
        const name = typeof level === 'string' ? level : `${level.confirmations} confirmations`;
        const when = retryMs === undefined ? 'after Retry-After' : `every ${retryMs / 1000} s`;
        const late = `${(lag.medianMs / 1000).toFixed(1)} / ${(lag.worstMs / 1000).toFixed(1)}`;
        console.log(
          `| ${name} | ${lagMs / 1000} | ${when} | ${late} | ${lag.triesPerEvent.toFixed(1)} | ${lag.requestsPerEvent.toFixed(1)} |`,
        );
      }
    }
  }
}

const TABLES: Readonly<Record<string, () => Promise<void>>> = { knees, deaths, lags };
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(TABLES)) {
  const table = TABLES[name];
  if (!table) throw new RangeError(`There is no table ${name}. There are ${Object.keys(TABLES).join(', ')}.`);
  await table();
  console.log();
}
