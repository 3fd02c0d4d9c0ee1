// A bare Request → Response handler: what Next.js route handlers, Workers, Bun and Deno call.
import { fetchHandler } from 'event-webhook-receiver/fetch';

export const POST = fetchHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(event.event, event.id),
});
