import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needsMariadb } from '../../../servers/mariadb.js';
import { needsPostgres } from '../../../servers/postgres.js';
import { type SqlClient, useServer } from '../client.js';
import { startCutter } from '../cutter.js';
import { mysqlClients } from '../mysql/clients.js';
import { postgresClients } from '../postgres/clients.js';
import { importClients, needsOrms } from './installed.js';

const child = fileURLToPath(new URL('ended-sessions-child.ts', import.meta.url));

/** A process that handles events with a client, once it has begun. */
async function startHandling({ title, dialect }: SqlClient, url: string) {
  const args = ['--import', 'tsx', child, title, dialect, url];
  const handling = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void handling.kill('SIGKILL'));
  const handled: string[] = [];
  let errors = '';
  handling.stderr.on('data', (data) => {
    errors += data;
  });
  const ended = once(handling, 'close');
  handling.stdin.on('error', () => {});
  const lines = createInterface(handling.stdout);
  const ready = once(lines, 'line');
  await Promise.race([ready, ended]);
  lines.on('line', (id) => handled.push(id));
  return {
    isRunning: () => handling.exitCode === null,
    /** Resolves once each of its loops has handled one more event; rejects if an error has ended the process. */
    async stop() {
      handling.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`The process ended: ${errors.slice(-2000)}`);
      return handled;
    },
  };
}

/** A function that ends about half of the sessions, and resolves to their number. */
const KILLERS = {
  async postgres(url: string) {
    const admin = new pg.Client(url);
    await admin.connect();
    onTestFinished(() => admin.end());
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5`;
    return async () => (await admin.query(text)).rowCount ?? 0;
  },
  async mysql(url: string) {
    const admin = await createConnection(url);
    onTestFinished(() => admin.end());
    return async () => {
      const [rows] = await admin.query<RowDataPacket[]>(
        'SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND RAND() < 0.5',
      );
      // One may have ended already.
      for (const { id } of rows) await admin.query(`KILL ${id}`).catch(() => {});
      return rows.length;
    };
  },
};

describe.each([
  ['Postgres', 'postgres', postgresClients, needsPostgres],
  ['MariaDB', 'mysql', mysqlClients, needsMariadb],
] as const)('the process of a client of %s', (_name, dialect, drivers, missing) => {
  describe.skipIf(missing + needsOrms)(`${missing}${needsOrms}`, { timeout: 60_000 }, async () => {
    const { open, server } = useServer(dialect);
    const orms = (await importClients(dialect)).filter(({ connectsByDriver }) => !connectsByDriver);
    const clients = [...drivers, ...orms].map((client) => [client.title, client] as const);

    it.each(clients)('survives that the server ends its sessions, and loses no effect: %s', async (_, client) => {
      const { run } = await open(client);
      const { url, port } = server();
      const cutter = await startCutter(port);
      const endSome = await KILLERS[dialect](url);
      const handling = await startHandling(client, url.replace(`:${port}/`, `:${cutter.port}/`));
      // At any moment.
      let killed = 0;
      while (killed < 50 && handling.isRunning()) {
        killed += await endSome();
        await pause(Math.random() * 40);
      }
      // As soon as they are open.
      cutter.endWhenReady(dialect === 'postgres');
      for (let round = 0; round < 3; round++) {
        await endSome();
        await pause(100);
      }
      cutter.endWhenReady(false);
      const handled = await handling.stop();
      const rows = await run(`SELECT id FROM effects WHERE id IN (${handled.map((id) => `'${id}'`)})`);
      expect(rows).toHaveLength(handled.length);
    });
  });
});
