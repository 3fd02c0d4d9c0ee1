import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import expressApp from 'express';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { type expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { type NodeRequest, nodeHandler, nodeVerifier } from '../../src/adapters/node.js';
import { isWebhookError } from '../../src/index.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { genuine } from '../matrix/deliveries.js';
import { type Answer, CHANGED, CHANGED_HEADERS, GONE, lower, options, receiving, setting } from './look-alikes.js';

/** A response that keeps its status. */
function fakeResponse(): ServerResponse & { answer: Promise<Answer> } {
  let ended: (status: Answer) => void = () => {};
  const answer = new Promise<Answer>((resolve) => {
    ended = resolve;
  });
  const response = {
    ...{ statusCode: 0, headersSent: false, answer, setHeader() {}, flushHeaders() {} },
    end: () => ended(response.statusCode),
    destroy: () => ended('destroyed'),
  };
  return response as never;
}

function fakeRequest(delivery = genuine()): NodeRequest {
  const stream = Readable.from([Buffer.from(delivery.body)], { objectMode: false });
  return Object.assign(stream, { method: 'POST', url: '/webhooks', headers: lower(delivery), complete: true }) as never;
}

/** Passes a request to an adapter of Node requests; resolves to what the sender, or the framework, gets. */
type NodeCall = (request: NodeRequest, codes: string[]) => Promise<Answer>;
const nameOf = (error: unknown): Answer => (isWebhookError(error) ? error.code : 'not named');

const express =
  (make: (codes: string[]) => ReturnType<typeof expressHandler>): NodeCall =>
  (request, codes) => {
    const response = fakeResponse();
    return new Promise((resolve) => {
      void response.answer.then(resolve);
      void make(codes)(request, response, (error) => resolve(error === undefined ? 200 : nameOf(error)));
    });
  };
const nodes: readonly [name: string, call: NodeCall, unavailable: Answer][] = [
  [
    'nodeHandler',
    async (request, codes) => {
      const response = fakeResponse();
      await nodeHandler(receiving(codes))(request, response);
      return response.answer;
    },
    500,
  ],
  ['expressVerifier', express((codes) => expressVerifier(options(codes))), 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
];

describe.each(nodes)('%s', (_, call, unavailable) => {
  expectNothingUnhandled();

  it.each(CHANGED_HEADERS)('is passed headers with %s', async (_what, change, expected) => {
    const delivery = genuine();
    const request = Object.assign(fakeRequest(delivery), { headers: change(lower(delivery)) }) as NodeRequest;
    const codes: string[] = [];
    expect(await call(request, codes)).toBe(expected);
    expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });

  it.each(CHANGED)('is passed a request with %s', async (_what, change, expected) => {
    const request = fakeRequest();
    change(request);
    const codes: string[] = [];
    expect(await call(request, codes)).toBe(expected === GONE ? unavailable : expected);
    // Whatever is answered is also reported, unless the framework has it.
    if (typeof expected === 'number') expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });

  it.each([7, 'text', {}, []])('is passed %j in place of a request', async (request) => {
    const codes: string[] = [];
    const answer = await call(request as never, codes);
    expect(String(answer)).toMatch(/^(405|500|ERR_WEBHOOK_\w+)$/);
    expect(codes.length + (typeof answer === 'string' ? 1 : 0)).toBe(1);
  });
});

/** What people pass in place of a request, and what the message tells them. */
const OTHERS: readonly [what: string, given: unknown, message: RegExp][] = [
  ['nothing', undefined, /got undefined as the request\./],
  ['a Request', new Request('http://localhost/webhooks', { method: 'POST' }), /got a Request: use fetchHandler\./],
  [
    'an event of Lambda',
    { requestContext: { http: { method: 'POST' } }, headers: {}, body: '[]' },
    /got an event of AWS Lambda: use lambdaHandler\./,
  ],
  ['the context of Koa', { req: fakeRequest(), res: {}, method: 'POST' }, /got a context: pass its req and res\./],
  ['the request of Fastify', { raw: fakeRequest(), body: [] }, /got a request of Fastify: use fastifyPlugin\./],
  ['an object', { method: 'POST', headers: {}, body: '[]' }, /got an object as the request\./],
];

describe.each<[string, (onError: (error: Error) => void) => (...args: never[]) => Promise<unknown>]>([
  ['nodeHandler', (onError) => nodeHandler({ ...options([]), onEvent() {}, onError })],
  ['nodeVerifier', (onError) => nodeVerifier({ ...options([]), onError })],
])('%s', (_, make) => {
  expectNothingUnhandled();

  it.each(OTHERS)('answers 500 when it gets %s and a response, and reports what to pass', async (_, given, message) => {
    const response = fakeResponse();
    const messages: string[] = [];
    await make((error) => messages.push(error.message))(given as never, response as never);
    expect(await response.answer).toBe(500);
    expect(messages).toEqual([expect.stringMatching(message)]);
  });

  it.each(OTHERS)('rejects when it gets %s without a response, and says what to pass', async (_, given, message) => {
    await expect(make(() => {})(given as never, {} as never)).rejects.toThrow(message);
  });

  it('rejects when it gets a request without a response', async () => {
    const answering = make(() => {})(fakeRequest() as never);
    await expect(answering).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: 'nodeHandler takes a request and response of Node.js, got undefined as the response.',
    });
  });
});

describe('nodeHandler as a route of Fastify', () => {
  it('is answered 500 with what to register', async () => {
    const app = Fastify();
    const handled: string[] = [];
    app.post('/webhooks', nodeHandler({ ...options([]), onEvent: ({ id }) => handled.push(id) }) as never);
    const { body, ...delivery } = genuine();
    const headers = { ...lower({ body, ...delivery }), 'content-type': 'application/json' } as Record<string, string>;
    const answer = await app.inject({ method: 'POST', url: '/webhooks', headers, payload: Buffer.from(body) });
    await app.close();
    expect(answer.json()).toMatchObject({
      statusCode: 500,
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining('a request of Fastify: use fastifyPlugin'),
    });
    expect(handled).toEqual([]);
  });
});

describe.each([
  ['node:http', (handler: RequestListener) => handler],
  ['Express', (handler: RequestListener) => expressApp().use(handler)],
])('fetchHandler as a handler of %s', (_, appOf) => {
  it('is answered 500, and says what to use', async () => {
    const messages: string[] = [];
    const onError = ({ message }: Error) => messages.push(message);
    const server = createServer(appOf(fetchHandler({ ...options([]), onEvent() {}, onError }) as never));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { body, ...delivery } = genuine();
    const headers = lower({ body, ...delivery }) as Record<string, string>;
    const { status } = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect([status, messages]).toEqual([500, [expect.stringContaining('use nodeHandler or expressHandler')]]);
  });
});

/** Fastify, with a Node request that a wrapper changed before it reached the app. */
async function inject(codes: string[], change: (raw: IncomingMessage) => unknown): Promise<Answer> {
  const app = Fastify();
  app.addHook('onRequest', async ({ raw }) => void change(raw));
  app.register(fastifyPlugin(receiving(codes)), { prefix: '/webhooks' });
  await app.ready();
  const { body, ...delivery } = genuine();
  const headers = lower({ body, ...delivery }) as Record<string, string>;
  const answer = await app.inject({ method: 'POST', url: '/webhooks', headers, payload: Buffer.from(body) });
  await app.close();
  return answer.statusCode;
}

describe('fastifyPlugin', () => {
  expectNothingUnhandled();

  it.each(CHANGED_HEADERS)('is passed headers with %s', async (_what, change, expected) => {
    const codes: string[] = [];
    const changed = (raw: object) => setting('headers', change((raw as IncomingMessage).headers))(raw);
    expect(await inject(codes, changed)).toBe(expected);
    expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });

  // Fastify itself reads these.
  const itself = /(url|socket|httpVersion|^no on|^an on)/i;
  it.each(CHANGED.filter(([what]) => !itself.test(what)))(
    'is passed a request with %s',
    async (_what, change, expected) => {
      expect(await inject([], change)).toBe(expected === GONE ? 500 : expected);
    },
  );
});
