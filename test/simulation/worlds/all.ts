// Every kind of world.
export { bullmq } from './bullmq.js';
export { finality } from './finality.js';
export { leased } from './leased.js';
export { memory } from './memory.js';
export { oddStore } from './odd-store.js';
export { pgBoss } from './pg-boss.js';
export { reconcile } from './reconcile.js';
export { redis } from './redis.js';
export { sameIds } from './same-ids.js';
export { d1, sqlLeases } from './sql-leases.js';
export { sqlite } from './sqlite.js';
export { sqliteLeases } from './sqlite-leases.js';
export { transactional } from './transactional.js';
