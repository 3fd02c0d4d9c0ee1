import type { SynchronousDatabase } from '../../../src/stores/sql/index.js';
import type { Process } from '../kernel/process.js';
import { Server } from '../kernel/server.js';
import type { SqliteConnection } from '../models/sqlite.js';
import type { Leases } from '../oracle/leases.js';
import { served, watchRun } from '../oracle/watched-sql.js';
import { leaseWorld } from './lease-world.js';
import { keysOf, sharedFile } from './sqlite-file.js';

/** The machine of all replicas, with one clock in whole milliseconds. */
class Machine extends Server {
  override wall(): number {
    return Math.floor(super.wall());
  }

  override stepClock(ms: number): void {
    super.stepClock(ms);
    for (const process of this.world.processes) process.stepClock(ms);
  }
}

/**
 * Replicas on one machine with leases in a SQLite file. None is frozen within a turn: what it writes would be in the file
 * before its time.
 */
export const sqliteLeases = leaseWorld(
  'sqlite-leases',
  '2–3 replicas with `sqlStore` on one SQLite file, not transactional; every form of handler.',
  (world, subject, { leaseMs, timeoutMs }) => {
    const machine = new Machine(world, 'machine');
    world.servers.push(machine);
    const file = sharedFile(subject);
    file.empty();
    const done = 'SELECT key FROM webhook_idempotency_keys WHERE done = 1';
    const connections = new Map<Process, SqliteConnection>();
    let oracle: Leases | undefined;
    return {
      server: machine,
      pausesInSilence: false,
      kinds: ['crash', 'pause', 'server clock'],
      watch(leases) {
        oracle = leases;
      },
      store(process) {
        const before = connections.get(process);
        if (before) file.kill(before);
        const connection = file.connect();
        connections.set(process, connection);
        if (!oracle) throw new Error('The oracle watches nothing yet.');
        const isDone = (key: string) => keysOf(file, done).includes(key);
        const db = watched(subject.fromBetterSqlite3(connection), oracle, process, isDone);
        return subject.sqlStore({ db, leaseMs, timeoutMs });
      },
    };
  },
);

/** Tells the oracle of a statement when it is committed: the file is free, so that happens in the turn that asks. */
function watched(
  db: SynchronousDatabase<SqliteConnection>,
  leases: Leases,
  process: Process,
  isDone: (key: string) => boolean,
): SynchronousDatabase<SqliteConnection> {
  let last: { readonly text: string; readonly rows: readonly object[] } | undefined;
  const run = watchRun(leases, process, async (text) => {
    const rows = last?.rows ?? [];
    served(leases, text, [], rows, isDone);
    return { rows };
  });
  return {
    ...db,
    runNow(text, values) {
      const rows = db.runNow(text, values);
      if (text === 'COMMIT' && last) void run(last.text);
      else last = { text, rows };
      return rows;
    },
  };
}
