// Bun.serve passes the web-standard Request untouched. It refuses bodies over 128 MB (maxRequestBodySize), far above the
// receiver's 10 MiB, and closes connections that are idle for 10 s (idleTimeout).
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
