// The framework parses every body first and keeps the bytes in `request.rawBody`, which the handler takes. It answers 400
// to what it cannot parse. A slow sender is on its clock, not on `receiveTimeoutMs`.
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
