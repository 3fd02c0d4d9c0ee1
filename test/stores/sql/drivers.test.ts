import { describeDrivers } from './servers.js';
import { describeAll } from './suites/all.js';
import { describeLeases } from './suites/leases.js';
import { describePostgresTable } from './suites/table.js';

describeDrivers([
  describeLeases,
  describeAll,
  (client, server) => {
    if (client.dialect === 'postgres') describePostgresTable(client, server);
  },
]);
