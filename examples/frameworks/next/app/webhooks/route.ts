// A route handler gets the web-standard Request with its body untouched. `next build` loads this file without your secrets,
// so `secret` is a function, called for each delivery.
// With a proxy.ts (middleware), Next cuts bodies at 10 MB: `experimental.proxyClientMaxBodySize`.
import { fetchHandler } from 'event-webhook-receiver/fetch';

export const POST = fetchHandler({
  secret: () => process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});
