import { Elysia } from 'elysia';
import { explained } from '../development.js';
import { webhooks } from './webhooks.js';

const secret = process.env.WEBHOOK_SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);

new Elysia({ serve: { idleTimeout: 60 } })
  .use(webhooks({ secret, onEvent: (event) => console.log(`took effect: ${event.id}`), onError: explained(secret) }))
  .listen(port, () => console.log('listening on', port));
