import express from 'express';
import { close, migrate, receiver } from './webhooks/receiver.js';
import { webhooks } from './webhooks/route.js';

await migrate();

let ready = true;
const app = express();
app.get('/readyz', (_request, response) => void response.status(ready ? 200 : 503).end());
app.post('/webhooks', webhooks); // before express.json(): the signature covers the raw bytes
const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('listening on', server.address()));

process.once('SIGTERM', async () => {
  ready = false;
  const { unfinished } = await receiver.drain();
  if (unfinished > 0) process.exit(1); // handlers still run: close nothing that they use
  server.close(() => close());
  setTimeout(() => server.closeAllConnections(), 2000).unref();
});
