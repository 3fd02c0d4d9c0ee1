// The framework parses every body before a function is called, and keeps the bytes in `request.rawBody`, where the handler
// finds them. What it cannot parse it answers itself, with 400; a slow sender is on its clock and not on `receiveTimeoutMs`.
import { http } from '@google-cloud/functions-framework';
import { nodeHandler } from 'event-webhook-receiver/node';
import { explained } from '../development.js';

const secret = process.env.WEBHOOK_SECRET ?? '';
const receive = nodeHandler({
  secret,
  onEvent: (event) => console.log(`took effect: ${event.id}`),
  onError: explained(secret),
});

http('webhooks', receive);
