import { libsqlClients } from '../clients/libsql.js';
import { describeMode } from '../suites/contract.js';
import { describeLateHandlers } from '../suites/late.js';
import { describeTransactional } from '../suites/transactional.js';
import { useFile } from './file.js';

for (const client of libsqlClients) {
  const file = useFile();
  for (const kind of ['lease', 'transactional'] as const) describeMode(client, kind, () => file.open(client));
  describeTransactional(client, file);
  describeLateHandlers(client, file);
}
