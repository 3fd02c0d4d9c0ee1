// Measures what the simulation at scale needs: the CPU that a server spends on each call, the round trip of an idle server,
// and the CPU that a replica spends on each delivery. Writes costs.json. Run it alone on the machine.
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startPostgres } from '../../../examples/servers/postgres.js';
import { startRedis } from '../../../examples/servers/redis.js';
import { redisStore } from '../../../src/stores/redis/index.js';
import { fromPg, sqlStore } from '../../../src/stores/sql/index.js';
import type { IdempotencyStore } from '../../../src/stores/store.js';
import { measureReplica } from './measure-replica.js';

const ROUNDS = 4000;
const KEYS = [1, 10, 100];

/** CPU of processes in ms, from /proc. */
function cpuOf(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10;
}

function median(all: number[]): number {
  all.sort((a, b) => a - b);
  return all[all.length >> 1] as number;
}

/** The cost of an intercept and a slope through what was measured for different numbers of keys. */
function line(points: readonly (readonly [keys: number, ms: number])[]) {
  const [first = [1, 0], last = [1, 0]] = [points[0], points.at(-1)];
  const perKey = (last[1] - first[1]) / (last[0] - first[0]);
  return { perCallMs: round(first[1] - perKey * first[0]), perKeyMs: round(perKey) };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** CPU of this process in ms. */
function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU of the server and of the client, and wall time, of one `onceEach` with a handler that does what `effect` does. */
async function measureStore<Tx>(
  name: string,
  store: IdempotencyStore<Tx>,
  pids: () => readonly number[],
  effect: (tx: Tx, keys: readonly string[]) => Promise<unknown> = async () => {},
) {
  const server: [number, number][] = [];
  const client: [number, number][] = [];
  const wall: [number, number][] = [];
  for (const keys of KEYS) {
    const rounds = Math.ceil(ROUNDS / Math.sqrt(keys));
    const once = async (round: number) => {
      const names = Array.from({ length: keys }, (_, index) => `${name}:${keys}:${round}:${index}`);
      const start = performance.now();
      await store.onceEach?.(names, async (fresh, tx) => void (await effect(tx as Tx, fresh)));
      return performance.now() - start;
    };
    for (let round = 0; round < 1000; round++) await once(-1 - round);
    const before = cpuOf(pids());
    const ownBefore = ownCpu();
    const times: number[] = [];
    for (let round = 1; round <= rounds; round++) times.push(await once(round));
    client.push([keys, (ownCpu() - ownBefore) / rounds]);
    server.push([keys, (cpuOf(pids()) - before) / rounds]);
    wall.push([keys, median(times)]);
  }
  return {
    server: line(server),
    client: line(client),
    wallMs: Object.fromEntries(wall.map(([keys, ms]) => [keys, round(ms)])),
  };
}

/** What a commit waits for: 8 kB of the log on the disk. */
function measureFlush(): number {
  const directory = mkdtempSync(join(tmpdir(), 'flush-'));
  const file = openSync(join(directory, 'log'), 'w');
  const block = Buffer.alloc(8192);
  const times: number[] = [];
  for (let round = 0; round < 500; round++) {
    const start = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    times.push(performance.now() - start);
  }
  closeSync(file);
  rmSync(directory, { recursive: true });
  return median(times);
}

const redis = await startRedis();
const client = new Redis(redis.url, { socketTimeout: 3000 });
const postgres = await startPostgres();
const pool = new Pool({ connectionString: postgres.url, connectionTimeoutMillis: 5000 });
pool.on('error', () => {});
try {
  const redisPids = () => [redis.process.pid as number];
  const postgresPids = () => {
    const pids: number[] = [];
    postgres.forEachProcess((pid) => pids.push(pid));
    return pids;
  };
  const ping: number[] = [];
  for (let round = 0; round < 2000; round++) {
    const start = performance.now();
    await client.ping();
    ping.push(performance.now() - start);
  }
  const select: number[] = [];
  for (let round = 0; round < 2000; round++) {
    const start = performance.now();
    await pool.query('SELECT 1');
    select.push(performance.now() - start);
  }
  // What survives a restart of the machine up to the last second: the usual setting.
  await client.config('SET', 'appendfsync', 'everysec');
  await pool.query('CREATE TABLE effects (id text PRIMARY KEY)');
  const leases = sqlStore({ db: fromPg(pool), table: 'leases' });
  const transactional = sqlStore({ db: fromPg(pool), table: 'transactional', transactional: true });
  await Promise.all([leases.migrate(), transactional.migrate()]);
  const costs = {
    measured: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, Node ${process.versions.node}`,
    redis: { pingMs: round(median(ping)), ...(await measureStore('redis', redisStore({ client }), redisPids)) },
    postgresLeases: { selectMs: round(median(select)), ...(await measureStore('leases', leases, postgresPids)) },
    postgresTransactional: await measureStore('transactional', transactional, postgresPids, (tx, keys) =>
      tx.query(`INSERT INTO effects VALUES ${keys.map((key) => `('${key}')`).join()}`),
    ),
    flushMs: round(measureFlush()),
    replica: await measureReplica(),
  };
  writeFileSync(new URL('./costs.json', import.meta.url), `${JSON.stringify(costs, null, 2)}\n`);
  console.log(JSON.stringify(costs, null, 2));
} finally {
  client.disconnect();
  await pool.end();
  await Promise.all([redis.stop(), postgres.stop()]);
}
