// app.register(webhooks, { prefix: '/webhooks' })
import { fastifyPlugin } from 'event-webhook-receiver/fastify';
import { receiver } from './receiver.js';

export const webhooks = fastifyPlugin(receiver);
