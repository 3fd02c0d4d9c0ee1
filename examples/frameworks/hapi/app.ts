// `parse: false` with `output: 'stream'` leaves the stream untouched, and `h.abandon` leaves the answer to the handler.
import { server as createServer, type Server } from '@hapi/hapi';
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';

export function createApp(webhooks: Receiver | ReceiverOptions, port: number): Server {
  const receive = nodeHandler(webhooks);
  const server = createServer({ port });
  server.route({
    method: '*',
    path: '/webhooks',
    options: {
      payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, timeout: false },
    },
    async handler({ raw }, h) {
      await receive(raw.req, raw.res);
      return h.abandon;
    },
  });
  return server;
}
