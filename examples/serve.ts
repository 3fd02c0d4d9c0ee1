import { createServer } from 'node:http';
import type { Receiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';

/** Serves a receiver on PORT. On SIGTERM what is under way is finished, and `close` puts away what it used. */
export function serve(receiver: Receiver, close: () => unknown): void {
  const server = createServer(nodeHandler(receiver)).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
    console.log('listening on', server.address());
  });
  process.once('SIGTERM', async () => {
    const { unfinished } = await receiver.drain();
    // What still runs may need what `close` puts away.
    if (unfinished > 0) process.exit(1);
    server.close(() => close());
  });
}
