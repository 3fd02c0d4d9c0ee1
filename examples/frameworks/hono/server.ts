import { serve } from '@hono/node-server';
import { explained } from '../development.js';
import { createApp } from './app.js';

const secret = process.env.WEBHOOK_SECRET ?? '';
const app = createApp({
  secret,
  onEvent: (event) => console.log(`took effect: ${event.id}`),
  onError: explained(secret),
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => console.log('listening on', port));
