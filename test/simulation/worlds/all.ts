// Every kind of world.
export { finality } from './finality.js';
export { leased, leasedLetters } from './leased.js';
export { memory, memoryLetters } from './memory.js';
export { oddStore } from './odd-store.js';
export { reconcile } from './reconcile.js';
export { redis } from './redis.js';
export { reorgs, reorgsLetters } from './reorgs.js';
export { sameIds } from './same-ids.js';
export { transactional, transactionalLetters } from './transactional.js';
