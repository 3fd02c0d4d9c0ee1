// app.post('/webhooks', webhooks), before express.json(): the signature covers the raw bytes.
import { expressHandler } from 'event-webhook-receiver/express';
import { receiver } from './receiver.js';

export const webhooks = expressHandler(receiver);
