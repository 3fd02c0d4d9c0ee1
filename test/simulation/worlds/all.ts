// Every kind of world.
export { bullmq } from './bullmq.js';
export { finality } from './finality.js';
export { memory } from './memory.js';
export { pgBoss10, pgBoss12 } from './pg-boss.js';
export { reconcile } from './reconcile.js';
export { redis } from './redis.js';
export { sqlite } from './sqlite.js';
export { transactional } from './transactional.js';
