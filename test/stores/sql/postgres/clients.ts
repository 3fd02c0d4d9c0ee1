import type { SqlClient } from '../client.js';
import { pgClient } from '../clients/pg.js';

/** The drivers of Postgres. */
export const postgresClients: readonly SqlClient[] = [pgClient];
