import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { createLineFilter } from '../../src/cli/terminal/line-filter.js';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { recordOf } from '../deliveries/records.js';

const address = sampleEventEmitted().data.event.contract.address.toLowerCase();

function kept(): KeptDelivery {
  const feed = createFeed();
  feed.put(recordOf('7', { events: [sampleEventEmitted()] }));
  return feed.get('7') as KeptDelivery;
}

it('finds what a delivery contains, and what is printed of it, in any case', () => {
  const matches = (text: string, printed?: string) =>
    createLineFilter(text).matches(kept(), printed === undefined ? undefined : () => printed);
  expect(['', 'TRANSFER', '#7', '/webhooks'].map((text) => matches(text))).toEqual([true, true, true, true]);
  expect([matches('nowhere'), matches('nowhere', 'Is NOWHERE')]).toEqual([false, true]);
});

it('finds amounts in units of a known token', () => {
  const contracts = new Map([[address, { decimals: 15, symbol: 'TKN' }]]);
  expect(createLineFilter('1,000 TKN', () => contracts).matches(kept())).toBe(true);
  expect(createLineFilter('1,000 TKN').matches(kept())).toBe(false);
});
