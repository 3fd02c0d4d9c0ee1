import { libsqlClients } from '../clients/libsql.js';
import { describeEnded } from '../suites/ended.js';
import { useFile } from './file.js';

for (const client of libsqlClients) describeEnded(client, useFile());
