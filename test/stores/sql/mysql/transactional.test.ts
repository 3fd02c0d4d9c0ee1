import { describe } from 'vitest';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { useServer } from '../client.js';
import { describeTransactional } from '../suites/transactional.js';
import { mysqlClients } from './clients.js';

describe.skipIf(!hasMariadb)(`sqlStore over MariaDB${needsMariadb}`, () => {
  const server = useServer('mysql');
  for (const client of mysqlClients) describeTransactional(client, server);
});
