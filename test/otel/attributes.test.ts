import { describe, expect, it } from 'vitest';
import type { DeliveryItem } from '../../src/index.js';
import { eventAttributes } from '../../src/otel/attributes.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';

const of = (event: object) => eventAttributes({ status: 'event', event } as DeliveryItem);

describe('the attributes of an event', () => {
  it('name the transaction, where the event has one', () => {
    const sample = sampleEventEmitted();
    const { txHash } = sample.data.transaction ?? {};
    expect(of(sample)).toMatchObject({ 'webhook.transaction.hash': txHash, 'webhook.event.name': 'Transfer' });
    const without = of(sampleEventEmitted({ data: { transaction: null as never } }));
    expect(without).toMatchObject({ 'webhook.event.name': 'Transfer' });
    expect(without).not.toHaveProperty('webhook.transaction.hash');
  });

  it('name a transaction by a hash that is text, and by no other', () => {
    const hash = `0x${'5f'.repeat(32)}`;
    expect(of(sampleTransactionIncluded({ data: { tx: { hash } } }))).toMatchObject({
      'webhook.transaction.hash': hash,
    });
    for (const tx of [null, { hash: 7 }]) {
      expect(of(sampleTransactionIncluded({ data: { tx: tx as never } }))).not.toHaveProperty(
        'webhook.transaction.hash',
      );
    }
  });
});
