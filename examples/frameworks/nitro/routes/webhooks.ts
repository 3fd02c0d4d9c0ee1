// A file under routes/ is a handler; `event.req` is the web-standard Request. `readBody(event)` uses up its body: it may not
// run before the handler, in a middleware either. `routes/webhooks.post.ts` leaves other methods to Nitro.
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { defineHandler } from 'nitro/h3';

const receive = fetchHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

export default defineHandler((event) => receive(event.req));
