import { describeStore } from '../../../contracts/store.js';
import { libsqlClients } from '../clients/libsql.js';
import { describeEach } from '../suites/each.js';
import { describeLateHandlers } from '../suites/late.js';
import { describeTransactional } from '../suites/transactional.js';
import { useFile } from './file.js';

for (const client of libsqlClients) {
  const file = useFile();
  describeStore(`${client.title}, lease`, { meanwhile: 'in-progress', shared: true, leases: true }, () => ({
    open: async (settings) => (await file.open(client)).lease(settings),
    passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }));
  describeTransactional(client, file);
  describeEach(client, file);
  describeLateHandlers(client, file);
}
