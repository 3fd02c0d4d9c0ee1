import type { TestProject } from 'vitest/node';
import { startPostgres } from '../servers/postgres.js';
import { openPg } from '../stores/sql/clients/pg.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server, for a user who may do anything. */
    readonly postgres: string | undefined;
  }
}

/** Starts a Postgres for all mutants that a process tests. It need not survive a power failure. */
export default async function start({ provide }: TestProject): Promise<() => Promise<unknown>> {
  const server = await startPostgres();
  const pool = openPg(server.url);
  await pool.query('ALTER SYSTEM SET fsync = off');
  await pool.query('SELECT pg_reload_conf()');
  await pool.end();
  provide('postgres', server.url);
  return () => server.stop();
}
