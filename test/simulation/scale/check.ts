// Compares the simulation with the real thing on this machine: one real replica in its own process over a real server, under
// a load that grows, and the same with simulated ones. Run it alone: `npx tsx test/simulation/scale/check.ts`.
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startPostgres } from '../../../examples/servers/postgres.js';
import { startRedis } from '../../../examples/servers/redis.js';
import { fromPg, sqlStore } from '../../../src/stores/sql/index.js';
import { loadSubject } from '../subject/load.js';
import { readCosts } from './costs.js';
import { type Fleet, playFleet } from './fleet.js';
import { postgresFleet } from './postgres.js';
import { redisFleet } from './redis.js';
import { type ReplicaProcess, startReplica } from './replica-process.js';

const RATES = [100, 300, 600, 900, 1200, 1500];
const SECONDS = 4;
/** One way on this machine. */
const LOOPBACK_MS = 0.02;

const subject = await loadSubject();
const costs = readCosts();

/** Latencies of a real replica, in ms, sorted. Deliveries leave at random times, whatever has been answered. */
async function realLatencies(replica: ReplicaProcess, perSecond: number): Promise<number[]> {
  const latencies: number[] = [];
  const sent: Promise<void>[] = [];
  const end = performance.now() + 1000 * SECONDS;
  for (let at = performance.now(); at < end; at += (-Math.log(Math.random()) * 1000) / perSecond) {
    const wait = at - performance.now();
    if (wait > 0.5) await new Promise((resolve) => setTimeout(resolve, wait));
    sent.push(replica.send(1).then(() => void latencies.push(performance.now() - at)));
  }
  await Promise.all(sent);
  return latencies.sort((a, b) => a - b);
}

async function compare<Tx>(name: string, replica: ReplicaProcess, fleetOf: () => Fleet<Tx>): Promise<void> {
  for (let round = 0; round < 1000; round++) await replica.send(1);
  for (const eventsPerSecond of RATES) {
    const real = await realLatencies(replica, eventsPerSecond);
    const base = { replicas: 1, eventsPerDelivery: 1, handlerMs: 0, networkMs: LOOPBACK_MS };
    const setup = { ...base, eventsPerSecond, deliveries: eventsPerSecond * SECONDS };
    const { latencies } = await playFleet(setup, subject, costs, fleetOf());
    const of = (all: readonly number[]) =>
      [0.5, 0.99].map((share) => (all[Math.floor(share * (all.length - 1))] ?? 0).toFixed(1)).join(' / ');
    console.log(`| ${name} | ${eventsPerSecond} | ${of(real)} | ${of(latencies)} |`);
  }
  replica.stop();
}

const redis = await startRedis();
const postgres = await startPostgres();
try {
  const client = new Redis(redis.url, { socketTimeout: 3000 });
  await client.config('SET', 'appendfsync', 'everysec');
  client.disconnect();
  const pool = new Pool({ connectionString: postgres.url, connectionTimeoutMillis: 5000 });
  await sqlStore({ db: fromPg(pool) }).migrate();
  await pool.end();
  console.log('| store | events/s | measured p50 / p99, ms | simulated p50 / p99, ms |');
  console.log('|---|---|---|---|');
  await compare('Redis', await startReplica('redis', redis.url, 64), () => redisFleet(subject, costs, 60_000));
  const setup = { cores: 1, connections: 20, transactional: false, leaseMs: 60_000 };
  await compare('Postgres, leases', await startReplica('postgres', postgres.url, 64), () =>
    postgresFleet(subject, costs, setup),
  );
} finally {
  await Promise.all([redis.stop(), postgres.stop()]);
}
