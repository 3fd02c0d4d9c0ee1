// A function with the Web signature gets the Request with its body untouched.
import { fetchHandler } from 'event-webhook-receiver/fetch';

export const POST = fetchHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});
