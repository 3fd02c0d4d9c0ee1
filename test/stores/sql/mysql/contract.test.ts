import { describe } from 'vitest';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { useServer } from '../client.js';
import { mysql2Client } from '../clients/mysql2.js';
import { describeContract } from '../suites/contract.js';

describe.skipIf(!hasMariadb)(`sqlStore over MariaDB${needsMariadb}`, () => {
  describeContract(mysql2Client, useServer('mysql'));
});
