import { D1Service } from '../models/d1.js';
import { D1Engine } from '../models/d1-engine.js';
import { openPool } from '../models/pg/pool.js';
import { PostgresService } from '../models/pg/service.js';
import type { Leases } from '../oracle/leases.js';
import { served, watchRun } from '../oracle/watched-sql.js';
import type { Subject } from '../subject/load.js';
import { leaseWorld } from './lease-world.js';

const TABLE = 'webhook_idempotency_keys';

/** Replicas with leases in a table of Postgres, each with its own pool. */
export const sqlLeases = leaseWorld(
  'sql-leases',
  '2–3 replicas with `sqlStore` on Postgres through pg, not transactional; every form of handler and every fault.',
  (world, subject, { leaseMs, timeoutMs }) => {
    const { choices } = world;
    const service = new PostgresService(world);
    service.runNow(...subject.sqlDdl({ dialect: 'postgres' }));
    const max = choices.between(2, 4);
    let oracle: Leases | undefined;
    const isDone = (key: string) =>
      service.database.table(TABLE).some((row) => Reflect.get(row, 'key') === key && Reflect.get(row, 'done') === true);
    return {
      server: service.server,
      pausesInSilence: false,
      kinds: ['crash', 'pause', 'stall', 'cut', 'half open', 'server pause', 'sleep', 'clock', 'server clock'],
      watch(leases) {
        oracle = leases;
        service.onAnswer.push((text, results) => {
          if (results) served(leases, text, [], results.at(-1)?.rows ?? [], isDone);
        });
      },
      store(process) {
        const pool = openPool(subject.pg, process, service, { max, connectionTimeoutMillis: timeoutMs });
        const db = subject.fromPg(pool);
        return subject.sqlStore({ db: { ...db, run: watchRun(known(oracle), process, db.run) }, leaseMs, timeoutMs });
      },
    };
  },
);

/** Workers with leases in D1. */
export const d1 = leaseWorld(
  'd1',
  '2–3 replicas with `sqlStore` on D1, whose requests are lost, or take effect without an answer; every form of handler.',
  (world, subject, { leaseMs, timeoutMs, horizonMs }) => {
    const engine = sharedEngine(subject);
    engine.empty(TABLE);
    const service = new D1Service(world, engine, () => ({ oneIn: world.now < horizonMs ? 15 : 0 }));
    let oracle: Leases | undefined;
    const isDone = (key: string) =>
      engine.query(`SELECT key FROM ${TABLE} WHERE key = ?1 AND done = 1`, [key], 0).length > 0;
    return {
      server: service.server,
      pausesInSilence: false,
      kinds: ['crash', 'pause', 'stall', 'server pause', 'sleep', 'clock', 'server clock'],
      watch(leases) {
        oracle = leases;
        service.onStatement.push((text, values, rows) => served(leases, text, values, rows, isDone));
      },
      store(process) {
        const db = subject.fromD1(service.bindingOf(process));
        return subject.sqlStore({ db: { ...db, run: watchRun(known(oracle), process, db.run) }, leaseMs, timeoutMs });
      },
    };
  },
);

function known(leases: Leases | undefined): Leases {
  if (!leases) throw new Error('The oracle watches nothing yet.');
  return leases;
}

let shared: D1Engine | undefined;

/** One database for all schedules of a thread. */
function sharedEngine({ sqlDdl }: Subject): D1Engine {
  if (shared) return shared;
  shared = new D1Engine();
  for (const statement of sqlDdl({ dialect: 'sqlite' })) shared.query(statement, [], 0);
  return shared;
}
