import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { fastifyVerifier } from '../../src/adapters/fastify.js';
import { expectNothingUnhandled, Log } from '../matrix/app.js';
import { framed, genuine, headersOf, now, SECRET } from '../matrix/deliveries.js';
import { Wire } from '../matrix/wire.js';
import { listen } from './fastify-app.js';

expectNothingUnhandled();

it.each([
  ['refused', true],
  ['authentic', false],
])('leaves an answer that its handlerTimeout began to Fastify, and the delivery is %s', async (_what, isCut) => {
  const app = Fastify({ handlerTimeout: 20 });
  onTestFinished(() => app.close());
  const passed = new Log<unknown>();
  const settled = new Log<string>();
  app.setErrorHandler((error, _request, reply) => {
    passed.add(error);
    return reply.code(500).send();
  });
  app.addHook('onSend', async () => {
    await settled.reaches(1);
    await new Promise(setImmediate);
  });
  const log = (_fields: object, message: string) => settled.add(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const preParsing = fastifyVerifier({ secret: SECRET, now, receiveTimeoutMs: isCut ? 60 : 5000, logger });
  app.post('/webhooks', { preParsing }, async (_request, reply) => {
    settled.add('handled');
    return reply.send();
  });
  const wire = await Wire.open(await listen(app));
  const bytes = framed(genuine());
  await wire.send(bytes.subarray(0, -1));
  await passed.reaches(1);
  if (!isCut) await wire.send(bytes.subarray(-1));
  expect(await wire.answer()).toMatchObject({ status: 500 });
  wire.end();
  await wire.closed();
  expect(passed.entries).toMatchObject([{ code: 'FST_ERR_HANDLER_TIMEOUT' }]);
  expect(settled.entries).toEqual([expect.stringMatching(isCut ? /did not arrive completely/ : /Delivery verified/)]);
});

it('reads the stream that an earlier preParsing hook has put in place of the request', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const delivery = genuine();
  app.addHook('preParsing', async (_request, _reply, payload) => {
    payload.resume();
    return Readable.from([delivery.body]);
  });
  const preParsing = fastifyVerifier({ secret: SECRET, now });
  app.post('/webhooks', { preParsing }, async (request, reply) => reply.send({ items: request.webhook?.items.length }));
  const headers = Object.fromEntries(headersOf(delivery));
  const answer = await app.inject({ method: 'POST', url: '/webhooks', headers, payload: 'compressed' });
  expect([answer.statusCode, answer.json()]).toEqual([200, { items: 1 }]);
  const forged = { ...headers, ...Object.fromEntries(headersOf({ ...delivery, signature: '0'.repeat(64) })) };
  const refused = await app.inject({ method: 'POST', url: '/webhooks', headers: forged, payload: 'compressed' });
  expect([refused.statusCode, refused.body]).toEqual([403, '']);
});
