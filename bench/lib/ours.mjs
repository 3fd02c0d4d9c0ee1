// The built package. This folder has a package.json of its own, so the package's name does not resolve to it here.
export * from 'event-webhook-receiver';
export { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
