import { describe } from 'vitest';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { useServer } from '../client.js';
import { describeContract } from '../suites/contract.js';
import { describeOutages } from '../suites/outages.js';
import { hasOrms, importClients, needsOrms } from './installed.js';

const clients = await importClients('mysql');

describe.skipIf(!hasMariadb || !hasOrms)(
  `sqlStore with ORMs over MariaDB${needsMariadb}${needsOrms}`,
  { timeout: 20_000 },
  () => {
    const server = useServer('mysql');
    for (const client of clients) {
      describeContract(client, server);
      describeOutages(client, server);
    }
  },
);
