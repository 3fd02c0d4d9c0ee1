import { describe } from 'vitest';
import { handOffContract } from '../contracts/hand-off.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import { openPgBoss, refuseUnstorable } from './engines.js';

describe.skipIf(!hasPostgres)(`the hand-off to pg-boss on Postgres${needsPostgres}`, { timeout: 30_000 }, () => {
  handOffContract({
    start: startPostgres,
    open: openPgBoss,
    openName: 'openPgBoss',
    isAtomic: true,
    refuseSome: (url) => refuseUnstorable(url, 'pgboss.job'),
  });
});
