// The real code that the worlds run, and the real driver of Postgres, so that its timers are simulated too.
export { default as pg } from 'pg';
export { createReceiver } from '../../../src/receiver/receiver.js';
export { createRouter } from '../../../src/receiver/router.js';
export { signDelivery } from '../../../src/signature/sign-delivery.js';
export { leasedStore } from '../../../src/stores/leased.js';
export { memoryStore } from '../../../src/stores/memory.js';
export { redisStore } from '../../../src/stores/redis/index.js';
export {
  fromBetterSqlite3,
  fromD1,
  fromPg,
  type SqlStore,
  sqlDdl,
  sqlStore,
} from '../../../src/stores/sql/index.js';
