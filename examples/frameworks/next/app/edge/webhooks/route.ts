// The same on the edge runtime, which has no Node modules. The two routes are two receivers, each with its own memory.
import { fetchHandler } from 'event-webhook-receiver/fetch';

export const runtime = 'edge';

export const POST = fetchHandler({
  secret: () => process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});
