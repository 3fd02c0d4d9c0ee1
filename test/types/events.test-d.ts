import { describe, expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type {
  deliverySchema,
  eventEmittedSchema,
  transactionIncludedSchema,
  webhookEventSchema,
} from '../../src/events/schemas.js';
import type { ContractInfo, EventDetails, EventTransaction } from '../../src/events/types.js';
import type { DeliveryItem, EventEmitted, EventIssue, TransactionIncluded, WebhookEvent } from '../../src/index.js';
import { parseDelivery, parseEvent } from '../../src/index.js';

describe('the interfaces', () => {
  test('equal what the schemas give', () => {
    expectTypeOf<z.output<typeof eventEmittedSchema>>().toEqualTypeOf<EventEmitted>();
    expectTypeOf<z.output<typeof transactionIncludedSchema>>().toEqualTypeOf<TransactionIncluded>();
    expectTypeOf<z.output<typeof webhookEventSchema>>().toEqualTypeOf<WebhookEvent>();
    expectTypeOf<z.output<typeof deliverySchema>>().toEqualTypeOf<WebhookEvent[]>();
  });

  test('say that an address label is always there, and what may be absent', () => {
    expectTypeOf<ContractInfo['addressLabel']>().toEqualTypeOf<string>();
    expectTypeOf<EventDetails['rawFields']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<EventEmitted['data']['transaction']>().toEqualTypeOf<EventTransaction | null | undefined>();
    expectTypeOf<EventTransaction['contract']>().toEqualTypeOf<ContractInfo | null | undefined>();
  });
});

describe('narrowing', () => {
  test('an event by its kind', () => {
    const event = parseEvent({});
    expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
    expectTypeOf(event.event).toEqualTypeOf<'event.emitted' | 'transaction.included'>();
    if (event.event === 'event.emitted') expectTypeOf(event).toEqualTypeOf<EventEmitted>();
    else expectTypeOf(event).toEqualTypeOf<TransactionIncluded>();
  });

  test('an item of a delivery by its status', () => {
    const [item] = parseDelivery('[]');
    expectTypeOf(item).toEqualTypeOf<DeliveryItem | undefined>();
    if (item === undefined) return;
    switch (item.status) {
      case 'event':
        return expectTypeOf(item).toEqualTypeOf<{ readonly status: 'event'; readonly event: WebhookEvent }>();
      case 'unknown':
        expectTypeOf(item.raw).toEqualTypeOf<unknown>();
        return expectTypeOf([item.id, item.kind] as const).toEqualTypeOf<readonly [string, string]>();
      case 'invalid':
        expectTypeOf(item.raw).toEqualTypeOf<unknown>();
        return expectTypeOf(item.issues).toEqualTypeOf<readonly EventIssue[]>();
      default:
        return expectTypeOf(item).toEqualTypeOf<never>();
    }
  });
});
