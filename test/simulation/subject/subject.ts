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
