// Hono passes the web-standard Request as `context.req.raw`. Its own readers (`context.req.json()`, `.text()`, a validator)
// use up the body: none of them may run before the handler.
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { Hono } from 'hono';

export function createApp(webhooks: Receiver | ReceiverOptions): Hono {
  const receive = fetchHandler(webhooks);
  const app = new Hono();
  app.all('/webhooks', (context) => receive(context.req.raw));
  return app;
}
