import { describe } from 'vitest';
import { enqueueContract } from '../../contracts/enqueue.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import { openBullmqPostgres, refuseUnstorable } from '../engines.js';

describe.skipIf(!hasPostgres)(`bullmqEnqueue and bullmqWorker on Postgres${needsPostgres}`, { timeout: 30_000 }, () => {
  enqueueContract({
    start: startPostgres,
    open: openBullmqPostgres,
    openName: 'openBullmqPostgres',
    isAtomic: true,
    refuseSome: (url) => refuseUnstorable(url, 'bullmq.job'),
  });
});
