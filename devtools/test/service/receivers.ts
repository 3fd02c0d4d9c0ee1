import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceiverOptions, WebhookEvent } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { onTestFinished } from 'vitest';

/** A server of node:http that a test has for itself. */
export async function listening(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/webhooks`, server };
}

/** A receiver of this library, and what it came to. The secret is set once the webhook is registered. */
export async function receiving(options: Partial<Extract<ReceiverOptions, { onEvent: object }>> = {}) {
  const handled: WebhookEvent[] = [];
  const refused: string[] = [];
  const holder = { secret: '' };
  const handler = nodeHandler({
    secret: () => holder.secret,
    toleranceSeconds: 300,
    onEvent: (event) => {
      handled.push(event);
    },
    onError: (error) => {
      refused.push(error.code);
    },
    ...options,
  });
  const { url, server } = await listening((request, response) => void handler(request, response));
  return {
    url,
    server,
    /** Ids of the events that it handled, in order. */
    ids: () => handled.map(({ id }) => id),
    handled,
    refused,
    setSecret: (secret: string) => {
      holder.secret = secret;
    },
  };
}
