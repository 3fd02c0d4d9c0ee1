import { libsqlClients } from '../clients/libsql.js';
import { describeMode } from '../suites/contract.js';
import { describeEach } from '../suites/each.js';
import { describeLateHandlers } from '../suites/late.js';
import { describeLeases } from '../suites/leases.js';
import { describeTransactional } from '../suites/transactional.js';
import { useFile } from './file.js';

for (const client of libsqlClients) {
  const file = useFile();
  for (const kind of ['lease', 'transactional'] as const) describeMode(client, kind, () => file.open(client));
  describeLeases(client, file);
  describeTransactional(client, file);
  describeEach(client, file);
  describeLateHandlers(client, file);
}
