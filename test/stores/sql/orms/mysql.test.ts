import { describe } from 'vitest';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { useServer } from '../client.js';
import { describeEach } from '../suites/each.js';
import { describeLateHandlers } from '../suites/late.js';
import { describeTransactional } from '../suites/transactional.js';
import { hasOrms, importClients, needsOrms } from './installed.js';

const clients = await importClients('mysql');

describe.skipIf(!hasMariadb || !hasOrms)(
  `sqlStore with ORMs over MariaDB${needsMariadb}${needsOrms}`,
  { timeout: 20_000 },
  () => {
    const server = useServer('mysql');
    for (const client of clients) {
      describeTransactional(client, server);
      describeLateHandlers(client, server);
      describeEach(client, server);
    }
  },
);
