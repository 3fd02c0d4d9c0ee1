import { describe } from 'vitest';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { useServer } from '../client.js';
import { describePostgresTable } from '../suites/table.js';
import { postgresClients } from './clients.js';

describe.skipIf(!hasPostgres)(`sqlStore over Postgres${needsPostgres}`, () => {
  const server = useServer('postgres');
  for (const client of postgresClients) describePostgresTable(client, server);
});
