// Hono on Node. Run with: WEBHOOK_SECRET=… PORT=3000 npx tsx --tsconfig examples/tsconfig.json examples/fetch/hono.ts
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { POST } from './handler.js';

const app = new Hono();
app.post('/webhooks', (context) => POST(context.req.raw));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, (address) => {
  console.log('listening on', address);
});
