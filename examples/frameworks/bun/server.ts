// Bun.serve hands on the web-standard Request untouched. It refuses bodies over 128 MB (maxRequestBodySize) by itself, far above
// the receiver's 10 MiB, and closes a connection on which nothing comes for 10 s (idleTimeout).
import { fetchHandler } from 'event-webhook-receiver/fetch';

const receive = fetchHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

const server = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  idleTimeout: 60, // seconds; longer than handlerTimeoutMs, or an answer that takes its time finds the connection closed
  routes: { '/webhooks': receive },
});
console.log('listening on', server.port);
