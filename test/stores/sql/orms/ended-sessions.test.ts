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
import { openClient, type SqlClient, type SqlServer, useServer } from '../client.js';
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

/** Prepares the tables of a server, and resolves to its URL. */
async function urlOf({ open, server }: SqlServer, client: SqlClient): Promise<string> {
  await open(client);
  return server().url;
}

async function countEffects(client: SqlClient, url: string, ids: readonly string[]) {
  const { run } = await openClient(client, url);
  return (await run(`SELECT id FROM effects WHERE id IN (${ids.map((id) => `'${id}'`)})`)).length;
}

describe.each([
  ['Postgres', 'postgres', postgresClients, needsPostgres],
  ['MariaDB', 'mysql', mysqlClients, needsMariadb],
] as const)('the process of a client of %s', (_name, dialect, drivers, missing) => {
  describe.skipIf(missing + needsOrms)(`${missing}${needsOrms}`, { timeout: 60_000 }, async () => {
    const server = useServer(dialect);
    const clients = [...drivers, ...(await importClients(dialect))].map((client) => [client.title, client] as const);

    it.each(clients)(
      `survives that the server ends sessions at any moment, and loses no effect: %s`,
      async (_, client) => {
        const url = await urlOf(server, client);
        const endSome = await KILLERS[dialect](url);
        const handling = await startHandling(client, url);
        let killed = 0;
        while (killed < 120 && handling.isRunning()) {
          killed += await endSome();
          await pause(Math.random() * 40);
        }
        const handled = await handling.stop();
        expect(await countEffects(client, url, handled)).toBe(handled.length);
      },
    );

    if (dialect === 'postgres')
      it.each(clients)('survives that the server ends each session as soon as it is open: %s', async (_, client) => {
        const url = await urlOf(server, client);
        const cutter = await startCutter(server.server().port);
        const handling = await startHandling(client, url.replace(`:${server.server().port}/`, `:${cutter.port}/`));
        cutter.endWhenReady(true);
        const endSome = await KILLERS[dialect](url);
        for (let round = 0; round < 3; round++) {
          await endSome();
          await pause(100);
        }
        cutter.endWhenReady(false);
        expect((await handling.stop()).length).toBeGreaterThan(0);
      });
  });
});
