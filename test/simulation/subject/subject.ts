// The real code that the worlds run.
export { chainFinality } from '../../../src/chain/finality/chain-finality.js';
export { chainSource } from '../../../src/chain/reconcile/chain-source.js';
export { reconcile } from '../../../src/chain/reconcile/reconcile.js';
export { chainReorgs } from '../../../src/chain/reorgs/chain-reorgs.js';
export { WebhookError } from '../../../src/errors.js';
export { logIdentity } from '../../../src/evm/raw-log.js';
export { Deadline } from '../../../src/handle/deadline.js';
export { NonRetryableError } from '../../../src/handle/non-retryable.js';
export { onceOf } from '../../../src/handle/once.js';
export { createReceiver } from '../../../src/receiver/receiver.js';
export { createRouter } from '../../../src/receiver/router.js';
export { signDelivery } from '../../../src/signature/sign-delivery.js';
export { leasedStore } from '../../../src/stores/leased.js';
export { resolveLeaseOptions, storeOfLeases } from '../../../src/stores/leased-store.js';
export { memoryStore } from '../../../src/stores/memory.js';
export { redisStore } from '../../../src/stores/redis/index.js';
