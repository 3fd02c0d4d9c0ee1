// A route handler gets the web-standard Request with its body untouched: pages/api would parse it. `next build` loads this
// file without your secrets, so the secret is given as a function, which is asked when a delivery comes.
// With a proxy.ts (middleware) in the way, Next cuts bodies at 10 MB: `experimental.proxyClientMaxBodySize`.
import { fetchHandler } from 'event-webhook-receiver/fetch';

export const POST = fetchHandler({
  secret: () => process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});
