import { describe } from 'vitest';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { useServer } from '../client.js';
import { describeEach } from '../suites/each.js';
import { describeLateHandlers } from '../suites/late.js';
import { describeTransactional } from '../suites/transactional.js';
import { hasOrms, importClients, needsOrms } from './installed.js';

const clients = await importClients('postgres');

describe.skipIf(!hasPostgres || !hasOrms)(
  `sqlStore with ORMs over Postgres${needsPostgres}${needsOrms}`,
  { timeout: 20_000 },
  () => {
    const server = useServer('postgres');
    for (const client of clients) {
      describeTransactional(client, server);
      describeLateHandlers(client, server);
      describeEach(client, server);
    }
  },
);
