// The framework parses every body before a function is called, and keeps the bytes in `request.rawBody`, where the handler
// finds them. What it cannot parse it answers itself, with 400; a slow sender is on its clock and not on `receiveTimeoutMs`.
import { http } from '@google-cloud/functions-framework';
import { nodeHandler } from 'event-webhook-receiver/node';

const receive = nodeHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

http('webhooks', receive);
