export { type SampleArgs, type SampleContractEventOptions, sampleContractEvent } from './contract-event.js';
export { type Overrides, sampleEventEmitted, sampleTransactionIncluded } from './samples.js';
export { createTestDelivery, type TestDelivery } from './test-delivery.js';
