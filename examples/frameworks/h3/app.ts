// h3 2 hands on the web-standard Request as `event.req`. `readBody(event)` and `event.req.json()` take the bytes from it, so
// neither may run before: not here, and not in a middleware.
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { H3 } from 'h3';

export function createApp(webhooks: Receiver | ReceiverOptions): H3 {
  const receive = fetchHandler(webhooks);
  return new H3().all('/webhooks', (event) => receive(event.req));
}
