import { describeDrivers } from './servers.js';
import { describeDeadlocks } from './suites/deadlocks.js';
import { describeEach } from './suites/each.js';
import { describeLateHandlers } from './suites/late.js';
import { describeLeases } from './suites/leases.js';
import { describePostgresTable } from './suites/table.js';
import { describeTransactional } from './suites/transactional.js';

describeDrivers([
  describeLeases,
  describeTransactional,
  describeLateHandlers,
  describeDeadlocks,
  describeEach,
  (client, server) => {
    if (client.dialect === 'postgres') describePostgresTable(client, server);
  },
]);
