// A bare Request → Response handler: what Next.js route handlers, Workers, Bun and Deno call.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const secret = process.env.WEBHOOK_SECRET ?? '';
// In development, on Node, a refused delivery is explained in the log.
const isDevelopment = process.env.NODE_ENV !== 'production';
const tools = isDevelopment ? await import('event-webhooks/explain').catch(() => undefined) : undefined;

export const POST = fetchHandler({
  secret,
  onEvent: (event) => console.log(event.event, event.id),
  onError: tools?.explainRefusals({ secret }),
});
