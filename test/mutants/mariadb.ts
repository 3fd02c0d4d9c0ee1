import type { TestProject } from 'vitest/node';
import { startMariadb } from '../servers/mariadb.js';
import { openMysql2 } from '../stores/sql/clients/mysql2.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server, for a user who may do anything. */
    readonly mysql: string | undefined;
  }
}

/** Starts a MariaDB for all mutants that a process tests. It need not survive a power failure. */
export default async function start({ provide }: TestProject): Promise<() => Promise<unknown>> {
  const server = await startMariadb('--innodb-flush-log-at-trx-commit=0');
  const pool = openMysql2(server.rootUrl);
  // The underscore is a wildcard unless it is escaped.
  await pool.query("GRANT ALL ON `test\\_%`.* TO webhook@'%'");
  await pool.end();
  provide('mysql', server.rootUrl);
  return () => server.stop();
}
