import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import type { OnEventOptions } from '../../src/receiver/options.js';
import { Log } from '../matrix/app.js';
import { framed, genuine, headersOf, now, SECRET, type SignedDelivery } from '../matrix/deliveries.js';
import { answerTo, type HeaderList } from '../matrix/wire.js';

export interface Settings {
  readonly server?: FastifyServerOptions;
  readonly prefix?: string;
  readonly options?: Partial<OnEventOptions>;
  /** What the app does before it registers the plugin. */
  readonly before?: (app: FastifyInstance) => unknown;
}

/** An app that has a route of its own beside the webhook. */
export function create({ server, prefix = '/webhooks', options, before }: Settings = {}) {
  const refused = new Log<string>();
  const passed = new Log<unknown>();
  const app = Fastify(server);
  onTestFinished(() => app.close());
  app.setErrorHandler((error, _request, reply) => {
    passed.add(error);
    return reply.code(500).send();
  });
  before?.(app);
  const plugin = fastifyPlugin({
    secret: SECRET,
    now,
    onEvent: () => {},
    onError: ({ code }) => refused.add(code),
    ...options,
  });
  app.register(plugin, { prefix });
  app.post('/own', ({ body }) => ({ body }));
  return { app, refused, passed };
}

/** Sends a delivery without a network, as people do in their tests. */
export const inject = (app: FastifyInstance, { body, ...signed }: SignedDelivery, request: InjectOptions = {}) =>
  app.inject({
    method: 'POST',
    url: '/webhooks',
    payload: body,
    ...request,
    headers: { ...Object.fromEntries(headersOf(signed)), ...request.headers },
  });

/** Listens on a free port. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

/** Sends a delivery on a connection of its own. */
export const post = (port: number, delivery: SignedDelivery, headers?: HeaderList) =>
  answerTo(port, framed(delivery, headers));

export const forged = () => ({ ...genuine(), signature: '0'.repeat(64) });
