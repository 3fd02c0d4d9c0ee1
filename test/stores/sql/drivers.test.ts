import { describeDrivers } from './servers.js';
import { describeAll } from './suites/all.js';
import { describePostgresTable } from './suites/table.js';

describeDrivers([
  describeAll,
  (client, server) => {
    if (client.dialect === 'postgres') describePostgresTable(client, server);
  },
]);
