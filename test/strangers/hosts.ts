import { once } from 'node:events';
import { createServer as createHttp1 } from 'node:http';
import { createServer as createHttp2, type Http2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import Fastify from 'fastify';
import { onTestFinished } from 'vitest';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { type NodeRequest, nodeHandler } from '../../src/adapters/node.js';
import { createReceiver, type Receiver, type ReceiverOptions, type WebhookError } from '../../src/index.js';
import type { OnEventOptions } from '../../src/receiver/options.js';
import { Log } from '../matrix/app.js';
import { now, SECRET } from '../matrix/deliveries.js';
import {
  expressTargets,
  expressVerifierTargets,
  fastifyTarget,
  fetchTarget,
  nodeTarget,
  verifierOptions,
} from '../matrix/targets.js';

export interface Host {
  readonly name: string;
  readonly http2: boolean;
  readonly serve: (receiver: Receiver, options: ReceiverOptions) => Promise<Server | Http2Server>;
}

const http1: Host[] = [nodeTarget, ...expressTargets.slice(0, 1), fastifyTarget, fetchTarget]
  .concat(expressVerifierTargets.slice(0, 1))
  .map(({ name, listener }) => ({
    name,
    http2: false,
    serve: async (receiver, options) =>
      createHttp1(await listener({ receiver, options: verifierOptions(options), verified: () => {} })),
  }));

const http2: Host[] = [
  {
    name: 'nodeHandler on node:http2',
    http2: true,
    async serve(receiver) {
      const handler = nodeHandler(receiver);
      return createHttp2((request, response) => void handler(request as never as NodeRequest, response as never));
    },
  },
  {
    name: 'fastifyPlugin on Fastify 5 with http2',
    http2: true,
    async serve(receiver) {
      const app = Fastify({ http2: true });
      await app.register(fastifyPlugin(receiver), { prefix: '/webhooks' }).ready();
      return app.server;
    },
  },
  {
    name: 'fetchHandler on @hono/node-server with http2',
    http2: true,
    serve: async (receiver) => createHttp2(getRequestListener(fetchHandler(receiver))),
  },
];

export const HOSTS: readonly Host[] = [...http1, ...http2];

/** Serves a receiver until the test ends. */
export async function serve(host: Host, settings: Partial<OnEventOptions> = {}) {
  /** Every error that was reported, in order. */
  const refused = new Log<WebhookError>();
  const options: ReceiverOptions = {
    secret: SECRET,
    now,
    onEvent: () => {},
    onError: (error) => refused.add(error),
    ...settings,
  };
  const receiver = createReceiver(options);
  const server = await host.serve(receiver, options);
  /** Methods of the requests that have arrived. */
  const requests = new Log<string | undefined>();
  server.on('request', ({ method }: { method?: string }) => requests.add(method));
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 });
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, receiver, refused, requests };
}
