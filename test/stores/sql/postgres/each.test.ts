import { describe } from 'vitest';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { useServer } from '../client.js';
import { describeEach } from '../suites/each.js';
import { postgresClients } from './clients.js';

describe.skipIf(!hasPostgres)(`sqlStore over Postgres${needsPostgres}`, () => {
  const server = useServer('postgres');
  for (const client of postgresClients) describeEach(client, server);
});
