import { describe } from 'vitest';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import { engineContract, refusing } from '../contract.js';

describe.skipIf(!hasPostgres)(`pgBossEnqueue and pgBossWorker on Postgres${needsPostgres}`, () => {
  engineContract({ start: startPostgres, name: 'openPgBoss', deduplicates: true, full: refusing('pgboss.job') });
});
