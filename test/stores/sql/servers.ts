import { describe } from 'vitest';
import { needsMariadb } from '../../servers/mariadb.js';
import { needsPostgres } from '../../servers/postgres.js';
import { type SqlClient, type SqlServer, useSqlServer } from './client.js';
import { bareClients } from './clients/bare.js';
import { mysql2Client } from './clients/mysql2.js';
import { importClients, needsOrms } from './orms/installed.js';
import { postgresClients } from './postgres/clients.js';

const SERVERS = {
  postgres: { name: 'Postgres', missing: needsPostgres, drivers: postgresClients },
  mysql: { name: 'MariaDB', missing: needsMariadb, drivers: [mysql2Client] },
} as const;

const DIALECTS = ['postgres', 'mysql'] as const;

type Suite = (client: SqlClient, server: SqlServer) => void;

function describeServer(
  dialect: keyof typeof SERVERS,
  clients: readonly SqlClient[],
  missing: string,
  suites: readonly Suite[],
) {
  describe.skipIf(missing)(`sqlStore over ${SERVERS[dialect].name}${missing}`, { timeout: 20_000 }, () => {
    const server = useSqlServer(dialect);
    for (const client of clients) for (const suite of suites) suite(client, server);
  });
}

/** Runs suites with every driver over a server, or over each. */
export function describeDrivers(
  suites: readonly Suite[],
  dialects: readonly (keyof typeof SERVERS)[] = DIALECTS,
): void {
  for (const dialect of dialects) {
    const { drivers, missing } = SERVERS[dialect];
    describeServer(dialect, drivers, missing, suites);
  }
}

/** Runs suites with a client of each server that does no more than it must. */
export function describeBareClients(suites: readonly Suite[]): void {
  for (const dialect of DIALECTS) {
    describeServer(dialect, bareClients[dialect], SERVERS[dialect].missing, suites);
  }
}

/** Runs suites with every ORM over a server, or over each. */
export async function describeOrms(
  suites: readonly Suite[],
  dialects: readonly (keyof typeof SERVERS)[] = DIALECTS,
): Promise<void> {
  for (const dialect of dialects) {
    describeServer(dialect, await importClients(dialect), SERVERS[dialect].missing + needsOrms, suites);
  }
}
