// `parse: 'none'` leaves the body untouched, also where a hook of the app uses `body`.
import { Elysia } from 'elysia';
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { fetchHandler } from 'event-webhook-receiver/fetch';

export function webhooks(options: Receiver | ReceiverOptions) {
  const receive = fetchHandler(options);
  return new Elysia().all('/webhooks', ({ request }) => receive(request), { parse: 'none' });
}
