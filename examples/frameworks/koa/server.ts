import { createApp } from './app.js';

const app = createApp({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

const port = Number(process.env.PORT ?? 3000);
app.listen(port, () => console.log('listening on', port));
