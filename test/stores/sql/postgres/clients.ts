import type { SqlClient } from '../client.js';
import { pgClient } from '../clients/pg.js';
import { postgresJsClient } from '../clients/postgres-js.js';

/** The drivers of Postgres. */
export const postgresClients: readonly SqlClient[] = [pgClient, postgresJsClient];
