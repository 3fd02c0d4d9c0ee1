// h3 2 passes the web-standard Request as `event.req`. `readBody(event)` and `event.req.json()` use up its body: neither may
// run before the handler, in a middleware either.
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { H3 } from 'h3';

export function createApp(webhooks: Receiver | ReceiverOptions): H3 {
  const receive = fetchHandler(webhooks);
  return new H3().all('/webhooks', (event) => receive(event.req));
}
