import { explained } from '../development.js';
import { createApp } from './app.js';

const secret = process.env.WEBHOOK_SECRET ?? '';
const app = createApp({
  secret,
  onEvent: (event) => console.log(`took effect: ${event.id}`),
  onError: explained(secret),
});

const port = Number(process.env.PORT ?? 3000);
app.listen(port, () => console.log('listening on', port));
