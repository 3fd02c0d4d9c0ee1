import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { Attempt, DeliveryRecord } from '../../src/deliveries/delivery-record.js';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';

export const SECRET = 'whsec-of-these-records';
/** Unix seconds of every delivery here. */
export const SENT = 1_700_000_000;

/** A record of a delivery that was signed at SENT and answered 200. */
export function recordOf(
  id: string,
  {
    events = [sampleEventEmitted()],
    attempt = {},
    ...record
  }: { events?: readonly unknown[]; attempt?: Partial<Attempt> } & Partial<DeliveryRecord> = {},
): DeliveryRecord {
  const { rawBody: body, headers } = createTestDelivery(events, { secret: SECRET, timestamp: SENT });
  return {
    id,
    target: '/webhooks',
    rawBody: new TextEncoder().encode(body),
    attempts: [{ at: SENT * 1000, headers: Object.entries(headers), status: 200, durationMs: 3, ...attempt }],
    ...record,
  };
}

/** A delivery as a feed keeps it. */
export function kept(...args: Parameters<typeof recordOf>): KeptDelivery {
  const feed = createFeed();
  feed.put(recordOf(...args));
  return feed.get(args[0]) as KeptDelivery;
}

/** The sample's transfer of another value, with the data of its log. */
export function transferOf(value: string, data: string) {
  const sample = sampleEventEmitted();
  const [from, to] = sample.data.event.inputs;
  const inputs = [from, to, { name: 'value', value, hashed: false, type: 'uint256' }] as never;
  const rawFields = JSON.stringify({ ...JSON.parse(sample.data.event.rawFields ?? ''), data });
  return sampleEventEmitted({ id: sample.id, data: { event: { inputs, rawFields } } });
}
