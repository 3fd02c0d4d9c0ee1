import { createRouter, type EventContext, type EventFilter, type Router } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';

export const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
export const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export const context: EventContext = {
  idempotencyKey: 'key',
  timestamp: '1',
  tx: undefined,
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  throwIfExpired() {},
};

/** Filters that all hold for one event, from the most specific on. */
export const BY_WEIGHT: readonly EventFilter[] = [
  { name: 'Transfer', address: ADDRESS, contractLabel: 'token' },
  { name: 'Transfer', address: ADDRESS },
  { name: 'Transfer', contractLabel: 'token' },
  { name: 'Transfer' },
  { address: ADDRESS, contractLabel: 'token' },
  { address: ADDRESS },
  { contractLabel: 'token' },
];

export function emitted(name = 'Transfer', address = ADDRESS, label = 'token') {
  return sampleEventEmitted({ data: { event: { name, contract: { address, label } } } });
}

/** A router with a handler for each filter that gives back the filter's text. */
export function routed(filters: readonly EventFilter[]): Router {
  const router = createRouter();
  for (const filter of filters) router.on('event.emitted', filter, () => JSON.stringify(filter));
  return router;
}
