import { describe } from 'vitest';
import { enqueueContract } from '../../contracts/enqueue.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import { openPgBoss, refuseUnstorable } from '../engines.js';

describe.skipIf(!hasPostgres)(`pgBossEnqueue and pgBossWorker on Postgres${needsPostgres}`, { timeout: 30_000 }, () => {
  enqueueContract({
    start: startPostgres,
    open: openPgBoss,
    openName: 'openPgBoss',
    isAtomic: true,
    refuseSome: (url) => refuseUnstorable(url, 'pgboss.job'),
  });
});
