// The built package. This folder has a package.json of its own, so the package's name does not resolve to it here.
export * from '../../../dist/index.js';
export { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from '../../../dist/testing.js';
