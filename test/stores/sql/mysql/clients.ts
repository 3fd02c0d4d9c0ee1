import type { SqlClient } from '../client.js';
import { mysql2Client } from '../clients/mysql2.js';

/** The drivers of MySQL and MariaDB. */
export const mysqlClients: readonly SqlClient[] = [mysql2Client];
