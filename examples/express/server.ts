// Run with: WEBHOOK_SECRET=… PORT=3000 npx tsx --tsconfig examples/tsconfig.json examples/express/server.ts
import { createReceiver, type OnError } from 'event-webhook-receiver';
import { createApp } from './app.js';

const secret = process.env.WEBHOOK_SECRET ?? '';
const onError: OnError = (error) => console.error(error.code, error.message, error.cause ?? '');
// In development, a refused delivery is explained in the log.
const isDevelopment = process.env.NODE_ENV !== 'production';
const tools = isDevelopment ? await import('event-webhooks/explain').catch(() => undefined) : undefined;

const receiver = createReceiver({
  secret,
  onEvent(event) {
    if (event.event === 'event.emitted') {
      console.log(event.data.event.name, 'of', event.data.event.contract.address, event.id);
    } else {
      console.log('transaction', event.data.tx?.hash, event.id);
    }
  },
  onError: tools?.explainRefusals({ secret, onError }) ?? onError,
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
