import { describe } from 'vitest';
import { handOffContract } from '../contracts/hand-off.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import { openBullmqPostgres, refuseUnstorable } from './engines.js';

describe.skipIf(!hasPostgres)(`the hand-off to BullMQ on Postgres${needsPostgres}`, { timeout: 30_000 }, () => {
  handOffContract({
    start: startPostgres,
    open: openBullmqPostgres,
    openName: 'openBullmqPostgres',
    isAtomic: true,
    refuseSome: (url) => refuseUnstorable(url, 'bullmq.job'),
  });
});
