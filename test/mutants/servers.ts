import type { TestProject } from 'vitest/node';
import { startMariadb } from '../servers/mariadb.js';
import { startPostgres } from '../servers/postgres.js';
import { openMysql2 } from '../stores/sql/clients/mysql2.js';
import { openPg } from '../stores/sql/clients/pg.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the servers are, for users who may do anything. */
    readonly servers: { readonly postgres: string; readonly mysql: string };
  }
}

/** Starts one server of each kind for all mutants that a process tests. They need not survive a power failure. */
export default async function start({ provide }: TestProject): Promise<() => Promise<unknown>> {
  const [postgres, mysql] = await Promise.all([startPostgres(), startMariadb('--innodb-flush-log-at-trx-commit=0')]);
  const [pg, root] = [openPg(postgres.url), openMysql2(mysql.rootUrl)];
  await pg.query('ALTER SYSTEM SET fsync = off');
  await pg.query('SELECT pg_reload_conf()');
  // The underscore is a wildcard unless it is escaped.
  await root.query("GRANT ALL ON `test\\_%`.* TO webhook@'%'");
  await Promise.all([pg.end(), root.end()]);
  provide('servers', { postgres: postgres.url, mysql: mysql.rootUrl });
  return () => Promise.all([postgres.stop(), mysql.stop()]);
}
