import type { SqlClient, SqlServer } from '../client.js';
import { describeCursor } from './cursor.js';
import { describeDeadlocks } from './deadlocks.js';
import { describeLateHandlers } from './late.js';
import { describeTransactional } from './transactional.js';

/** What a client does beyond the contract while its server is there. */
export function describeAll(client: SqlClient, server: SqlServer): void {
  describeTransactional(client, server);
  describeLateHandlers(client, server);
  describeDeadlocks(client, server);
  // The others run the statements of cursors by their driver.
  if (!client.connectsByDriver) describeCursor(client, server);
}
