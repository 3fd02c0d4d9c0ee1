import { describe } from 'vitest';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import { isPgBoss12 } from '../boss.js';
import { engineContract, refusing } from '../contract.js';

const engine = { start: startPostgres, deduplicates: true, full: refusing('pgboss.job') };

describe.skipIf(!hasPostgres)(`pgBossEnqueue and pgBossWorker on Postgres${needsPostgres}`, () => {
  engineContract({ ...engine, name: 'openPgBoss' });
});

if (!isPgBoss12) {
  describe.skipIf(!hasPostgres)(`examples/queues/pg-boss-cron.ts${needsPostgres}`, () => {
    engineContract({ ...engine, name: 'openPgBossCron' });
  });
}
