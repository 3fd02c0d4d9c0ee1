import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { Attempt, DeliveryRecord } from '../../src/deliveries/delivery-record.js';
import { SECRET } from '../page/fake-source.js';

/** A delivery as a test needs it, with a body that is given or made of items. */
export function recordOf(
  id: string,
  {
    items = [sampleEventEmitted()],
    rawBody,
    attempt = {},
    ...rest
  }: Partial<Omit<DeliveryRecord, 'id'>> & { items?: readonly unknown[]; attempt?: Partial<Attempt> } = {},
): DeliveryRecord {
  const at = Date.now();
  const { rawBody: body, headers } = createTestDelivery(items, { secret: SECRET, timestamp: Math.floor(at / 1000) });
  return {
    id,
    target: 'http://127.0.0.1:3000/webhooks',
    label: 'ledger',
    rawBody: rawBody ?? new TextEncoder().encode(body),
    attempts: [{ at, headers: Object.entries(headers), status: 200, durationMs: 12, ...attempt }],
    ...rest,
  };
}
