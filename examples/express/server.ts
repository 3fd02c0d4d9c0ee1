// Run with: WEBHOOK_SECRET=… PORT=3000 npx tsx --tsconfig examples/tsconfig.json examples/express/server.ts
import { createReceiver } from 'event-webhook-receiver';
import { createApp } from './app.js';

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent(event) {
    if (event.event === 'event.emitted') {
      console.log(event.data.event.name, 'of', event.data.event.contract.address, event.id);
    } else {
      console.log('transaction', event.data.tx?.hash, event.id);
    }
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const server = createApp(receiver).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('listening on', server.address());
});

// What is under way is finished; what comes meanwhile is answered 503 and sent again.
process.once('SIGTERM', async () => {
  const { unfinished } = await receiver.drain();
  if (unfinished > 0) process.exit(1);
  server.close();
});
