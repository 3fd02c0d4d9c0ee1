import { serve } from '@hono/node-server';
import { createApp } from './app.js';

const app = createApp({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => console.log('listening on', port));
