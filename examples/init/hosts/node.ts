// createServer(webhooks), or for one path: if (request.url === '/webhooks') return webhooks(request, response)
import { nodeHandler } from 'event-webhook-receiver/node';
import { receiver } from './receiver.js';

export const webhooks = nodeHandler(receiver);
