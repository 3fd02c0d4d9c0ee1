import { describe } from 'vitest';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import { engineContract, refusing } from '../contract.js';

describe.skipIf(!hasPostgres)(`bullmqEnqueue and bullmqWorker on Postgres${needsPostgres}`, () => {
  engineContract({
    start: startPostgres,
    name: 'openBullmqPostgres',
    deduplicates: true,
    full: refusing('bullmq.job'),
  });
});
