import { describe } from 'vitest';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { useServer } from '../client.js';
import { describeContract } from '../suites/contract.js';
import { describeOutages } from '../suites/outages.js';
import { hasOrms, importClients, needsOrms } from './installed.js';

const clients = await importClients('postgres');

describe.skipIf(!hasPostgres || !hasOrms)(
  `sqlStore with ORMs over Postgres${needsPostgres}${needsOrms}`,
  { timeout: 20_000 },
  () => {
    const server = useServer('postgres');
    for (const client of clients) {
      describeContract(client, server);
      describeOutages(client, server);
    }
  },
);
