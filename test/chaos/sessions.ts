import mysql from 'mysql2/promise';
import pg from 'pg';
import { monotonic, sleep } from './clock.js';
import type { Step } from './faults.js';
import type { GroundServer } from './scenario.js';

const LOOK_MS = 10;

/**
 * Ends a session in the server, as an operator or a limit of the server does: one in a transaction if there is one in time,
 * and otherwise any. Resolves to where it was; undefined if there is none.
 *
 * @param ports From where the sessions of the process come.
 * @param isIdle Ends a session only while it waits for its handler: postgres.js ends its process when a session is ended
 * in the middle of a statement.
 */
export async function endSession(
  server: 'postgres' | 'mariadb',
  { url, rootUrl = url }: GroundServer,
  ports: () => readonly number[],
  isIdle: boolean,
  withinMs: number,
): Promise<Step | undefined> {
  const end = monotonic() + withinMs * (isIdle ? 3 : 1);
  const own = await (server === 'postgres' ? onPostgres(url, isIdle) : onMariadb(rootUrl)).catch(() => undefined);
  try {
    while (own && monotonic() < end) {
      if (await own.end(ports(), true)) return 'in-transaction';
      await sleep(LOOK_MS);
    }
    if (!isIdle && (await own?.end(ports(), false))) return 'now';
  } catch {
    // The server was killed, and all sessions with it.
  } finally {
    await own?.close();
  }
  return undefined;
}

async function onPostgres(url: string, isIdle: boolean) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  // With time left before the next statement, which the handlers of some events give.
  const open = isIdle
    ? `state LIKE 'idle in transaction%' AND clock_timestamp() - state_change BETWEEN interval '20 ms' AND interval '60 ms'`
    : `state <> 'idle'`;
  return {
    /** Whether it has ended a session: of a transaction, or any. */
    async end(ports: readonly number[], isInTransaction: boolean) {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE client_port = ANY ($1) AND ${isInTransaction ? open : 'true'} ORDER BY random() LIMIT 1`,
        [ports],
      );
      return rowCount === 1;
    },
    close: () => client.end().catch(() => {}),
  };
}

async function onMariadb(url: string) {
  const client = await mysql.createConnection(url);
  client.on('error', () => {});
  return {
    async end(ports: readonly number[], isInTransaction: boolean) {
      const hosts = ports.map((port) => `'127.0.0.1:${port}'`).join(', ');
      const [rows] = await client.query(
        `SELECT id FROM information_schema.PROCESSLIST LEFT JOIN information_schema.INNODB_TRX ON trx_mysql_thread_id = id
         WHERE host IN (${hosts || "''"}) AND ${isInTransaction ? 'trx_id IS NOT NULL' : 'true'} ORDER BY rand() LIMIT 1`,
      );
      const [row] = rows as { id: number }[];
      if (row) await client.query(`KILL ${row.id}`);
      return row !== undefined;
    },
    close: () => client.end().catch(() => {}),
  };
}
