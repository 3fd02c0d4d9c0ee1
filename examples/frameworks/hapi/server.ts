import { explained } from '../development.js';
import { createApp } from './app.js';

const secret = process.env.WEBHOOK_SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);
const server = createApp(
  { secret, onEvent: (event) => console.log(`took effect: ${event.id}`), onError: explained(secret) },
  port,
);

await server.start();
console.log('listening on', port);
