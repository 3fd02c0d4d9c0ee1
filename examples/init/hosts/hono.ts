// app.all('/webhooks', (c) => webhooks(c.req.raw))
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { receiver } from './receiver.js';

export const webhooks = fetchHandler(receiver);
