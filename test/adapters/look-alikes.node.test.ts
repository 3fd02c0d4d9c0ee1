import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { type expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { type NodeRequest, nodeHandler } from '../../src/adapters/node.js';
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
