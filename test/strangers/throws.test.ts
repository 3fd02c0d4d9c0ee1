import express from 'express';
import fc from 'fast-check';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { lambdaHandler } from '../../src/adapters/lambda.js';
import { nodeHandler } from '../../src/adapters/node.js';
import type { ReceiverOptions, WebhookError } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import type { Settings } from '../helpers.js';
import { expectNothingUnhandled, serve } from '../matrix/app.js';
import { framed, headersOf, now, SECRET, sign } from '../matrix/deliveries.js';
import { verifierOptions } from '../matrix/targets.js';
import { Wire } from '../matrix/wire.js';
import { anyThrown } from './odd-throws.js';

/** Where user code can throw, and what is answered then, whatever it throws. */
const PLACES: Record<string, { status: number; verifies?: true; options: (fail: () => never) => Settings }> = {
  onEvent: { status: 500, options: (onEvent) => ({ onEvent }) },
  'onEvent, later': { status: 500, options: (fail) => ({ onEvent: async () => fail() }) },
  idempotencyKey: { status: 500, options: (idempotencyKey) => ({ idempotencyKey }) },
  onInvalid: { status: 500, options: (onInvalid) => ({ onInvalid }) },
  onUnknown: { status: 500, options: (onUnknown) => ({ onUnknown }) },
  secret: { status: 503, verifies: true, options: (secret) => ({ secret }) },
  'secret, later': { status: 503, verifies: true, options: (fail) => ({ secret: async () => fail() }) },
  store: { status: 503, options: (once) => ({ store: { once } }) },
  'store, later': { status: 503, options: (fail) => ({ store: { once: async () => fail() } }) },
  enqueue: { status: 503, options: (enqueue) => ({ enqueue, onEvent: undefined }) },
};

type Send = (delivery: ReturnType<typeof sign>) => Promise<number | undefined>;

async function over(listener: Parameters<typeof serve>[0]): Promise<Send> {
  const { port } = await serve(listener);
  return async (delivery) => {
    const wire = await Wire.open(port);
    await wire.send(framed(delivery));
    const answer = await wire.answer();
    wire.end();
    return answer?.status;
  };
}

const pairs = (delivery: ReturnType<typeof sign>) =>
  headersOf(delivery).map(([name, value]): [string, string] => [name, value]);
const requestOf = (delivery: ReturnType<typeof sign>) =>
  new Request('http://localhost/webhooks', { method: 'POST', headers: pairs(delivery), body: delivery.body });

const HOSTS: Record<string, { verifies?: true; start: (options: ReceiverOptions) => Send | Promise<Send> }> = {
  nodeHandler: { start: (options) => over(nodeHandler(options)) },
  expressHandler: { start: (options) => over(express().all('/webhooks', expressHandler(options))) },
  expressVerifier: {
    verifies: true,
    start: (options) =>
      over(
        express().all(
          '/webhooks',
          expressVerifier(verifierOptions(options)),
          (_request, response) => void response.end(),
        ),
      ),
  },
  fastifyPlugin: {
    async start(options) {
      const app = Fastify();
      await app.register(fastifyPlugin(options), { prefix: '/webhooks' }).ready();
      return over((request, response) => app.routing(request, response));
    },
  },
  fetchHandler: {
    start(options) {
      const handler = fetchHandler(options);
      return async (delivery) => (await handler(requestOf(delivery))).status;
    },
  },
  lambdaHandler: {
    start(options) {
      const handler = lambdaHandler(options);
      return async (delivery) => {
        const event = { httpMethod: 'POST', headers: Object.fromEntries(pairs(delivery)), body: String(delivery.body) };
        return (await handler(event)).statusCode;
      };
    },
  },
};

describe.each(Object.entries(HOSTS))('%s', (_name, host) => {
  expectNothingUnhandled();
  const places = Object.entries(PLACES).filter(([, { verifies }]) => !host.verifies || verifies);

  it.each(places)('answers for itself whatever %s throws', async (place, { status, options }) => {
    let thrown: unknown;
    const reported: WebhookError[] = [];
    const settings: Settings = {
      secret: SECRET,
      now,
      onEvent: () => {},
      onError: (error) => reported.push(error),
      ...options(() => {
        throw thrown;
      }),
    };
    const send = await host.start(settings as object as ReceiverOptions);
    const unknown = { id: 'u', event: 'block.mined', data: {} };
    await fc.assert(
      fc.asyncProperty(anyThrown, async (make) => {
        thrown = make();
        reported.length = 0;
        const items = place === 'onUnknown' ? [unknown] : place === 'onInvalid' ? [null] : [sampleEventEmitted()];
        expect(await send(sign(JSON.stringify(items)))).toBe(status);
        expect(reported).toHaveLength(1);
        expect(reported[0]?.status).toBe(status);
      }),
      { seed: 12, numRuns: 60 },
    );
  });
});
