// The real code that the worlds run, and the real driver of Postgres, so that its timers are simulated too.
export { default as pg } from 'pg';
export { chainFinality } from '../../../src/chain/finality/chain-finality.js';
export { chainSource } from '../../../src/chain/reconcile/chain-source.js';
export { reconcile } from '../../../src/chain/reconcile/reconcile.js';
export { logIdentity } from '../../../src/evm/raw-log.js';
// The real code that the worlds run.
export { bullmqEnqueue, bullmqWorker } from '../../../src/queues/bullmq/index.js';
export { bullmqJobId } from '../../../src/queues/bullmq/job-id.js';
export { pgBossEnqueue, pgBossWorker } from '../../../src/queues/pg-boss/index.js';
export { pgBossJobId } from '../../../src/queues/pg-boss/job-id.js';
export { createReceiver } from '../../../src/receiver/receiver.js';
export { createRouter } from '../../../src/receiver/router.js';
export { signDelivery } from '../../../src/signature/sign-delivery.js';
export { leasedStore } from '../../../src/stores/leased.js';
export { memoryStore } from '../../../src/stores/memory.js';
export { redisStore } from '../../../src/stores/redis/index.js';
export { fromBetterSqlite3 } from '../../../src/stores/sql/from/better-sqlite3.js';
export { fromD1 } from '../../../src/stores/sql/from/d1.js';
export { fromPg } from '../../../src/stores/sql/from/pg.js';
export { type SqlStore, sqlDdl, sqlStore } from '../../../src/stores/sql/index.js';
