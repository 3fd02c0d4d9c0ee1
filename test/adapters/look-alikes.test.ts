import { describe, expect, it } from 'vitest';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { type LambdaEvent, lambdaHandler } from '../../src/adapters/lambda.js';
import { createVerifier, type DeliveryRequest } from '../../src/index.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { type Delivery, genuine } from '../matrix/deliveries.js';
import {
  type Answer,
  CHANGED_HEADERS,
  type Fields,
  failing,
  lower,
  options,
  receiving,
  throwing,
} from './look-alikes.js';

describe.each<[string, (request: DeliveryRequest, codes: string[]) => Promise<Answer>]>([
  ['receiver.handleRequest', async (request, codes) => (await receiving(codes).handleRequest(request)).status],
  [
    'verifier.verifyRequest',
    async (request, codes) => (await createVerifier(options(codes)).verifyRequest(request)).refusal?.status ?? 200,
  ],
])('%s', (_, call) => {
  it.each(CHANGED_HEADERS)('is passed headers by a host of your own with %s', async (_what, change, expected) => {
    const delivery = genuine();
    const headers = change(lower(delivery)) as Record<string, string>;
    const codes: string[] = [];
    const request = { method: 'POST', header: (name: string) => headers[name], rawBody: () => delivery.body };
    expect(await call(request, codes)).toBe(expected);
    expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });
});

describe('fetchHandler', () => {
  expectNothingUnhandled();

  const call = async (request: Request, codes: string[]): Promise<Answer> =>
    (await fetchHandler(receiving(codes))(request)).status;
  const requestOf = (changes: (delivery: Delivery) => Fields): Request => {
    const delivery = genuine();
    const request = new Request('http://localhost/webhooks', {
      method: 'POST',
      body: delivery.body,
      headers: lower(delivery) as Record<string, string>,
    });
    const { method, url, headers, body, bodyUsed } = request;
    return Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors({ method, url, headers, body, bodyUsed }),
        ...Object.getOwnPropertyDescriptors(changes(delivery)),
      },
    ) as Request;
  };

  it.each(CHANGED_HEADERS)('is passed headers with %s', async (_what, change, expected) => {
    const codes: string[] = [];
    const request = requestOf((delivery) => {
      const headers = change(lower(delivery)) as Fields;
      return { headers: { get: (name: string) => headers[name] } };
    });
    expect(await call(request, codes)).toBe(expected);
    expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });

  it.each<[string, (request: Request) => unknown]>([
    ['the event of SvelteKit', (request) => ({ request, url: new URL(request.url) })],
    ['the context of Hono', (request) => ({ req: { raw: request, method: 'POST', header: () => undefined } })],
    ['the event of h3', (request) => ({ req: request, res: {}, headers: request.headers, method: 'POST' })],
  ])('finds the Request in %s', async (_what, contextOf) => {
    const codes: string[] = [];
    expect(await call(contextOf(requestOf(() => ({}))) as Request, codes)).toBe(200);
    expect(codes).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /got undefined\. Pass the Request/],
    ['a context without a Request', { node: { req: {} } }, /got an object\. Pass the Request/],
    ['a request of Node.js', { method: 'POST', headers: {}, on() {} }, /use nodeHandler or expressHandler/],
    ['an event of Lambda', { requestContext: {}, headers: {}, body: '[]' }, /use lambdaHandler/],
  ])('says what it takes when it gets %s', async (_what, given, message) => {
    const messages: string[] = [];
    const handler = fetchHandler({ ...options([]), onEvent() {}, onError: (error) => messages.push(error.message) });
    expect((await handler(given as Request)).status).toBe(500);
    expect(messages).toEqual([expect.stringMatching(message)]);
  });

  it('takes a body that arrives empty, although bytes were announced, for one that was read before', async () => {
    const codes: string[] = [];
    const { body: _, ...request } = requestOf((delivery) => ({
      headers: { get: (name: string) => ({ ...lower(delivery), 'content-length': '9' })[name] },
    })) as never as Fields;
    await expect(call(request as never, codes)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE' });
  });

  it.each<[string, Fields, Answer]>([
    ['headers without get', { headers: {} }, 500],
    ['headers that throw', throwing('headers'), 500],
    ['a method in lower case', { method: 'post' }, 200],
    ['a method that throws', throwing('method'), 500],
    ['a url that is no URL', { url: 'http://' }, 200],
    ['a url that throws', throwing('url'), 200],
    ['no body', { body: undefined }, 403],
    ['a reader without cancel', { body: { getReader: () => ({ read: () => new Promise(() => {}) }) } }, 503],
    ['a reader whose read throws', { body: { getReader: () => ({ read: failing }) } }, 503],
    ['a getReader that throws', { body: { getReader: failing } }, 500],
  ])('is passed a request with %s', async (_what, changes, expected) => {
    const codes: string[] = [];
    expect(
      await call(
        requestOf(() => changes),
        codes,
      ),
    ).toBe(expected);
    expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });

  it.each([{}, 'text', 7, [1]])('rejects with what to do where the body is %j', async (body) => {
    await expect(
      call(
        requestOf(() => ({ body })),
        [],
      ),
    ).rejects.toMatchObject({ code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE' });
  });

  it.each(['body', 'bodyUsed'])('rejects with what to do where a %s throws', async (name) => {
    await expect(
      call(
        requestOf(() => throwing(name)),
        [],
      ),
    ).rejects.toMatchObject({ code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', cause: expect.any(Error) });
  });

  it.each([undefined, null, 7, 'text', {}])('is passed %j in place of a request', async (request) => {
    const codes: string[] = [];
    expect([405, 500]).toContain(await call(request as never, codes));
    expect(codes).toHaveLength(1);
  });
});

describe('lambdaHandler', () => {
  expectNothingUnhandled();

  const call = async (event: LambdaEvent, codes: string[], context?: object): Promise<Answer> =>
    (await lambdaHandler(receiving(codes))(event, context)).statusCode;
  const eventOf = (changes: (delivery: Delivery) => Fields): LambdaEvent => {
    const delivery = genuine();
    const event = { httpMethod: 'POST', path: '/webhooks', headers: lower(delivery), body: String(delivery.body) };
    return Object.defineProperties(event, Object.getOwnPropertyDescriptors(changes(delivery))) as never;
  };

  it.each(CHANGED_HEADERS)('is passed headers with %s', async (_what, change, expected) => {
    for (const name of ['headers', 'multiValueHeaders']) {
      const codes: string[] = [];
      const event = eventOf((delivery) => ({ headers: null, [name]: change(lower(delivery)) }));
      expect(await call(event, codes)).toBe(expected);
      expect(codes).toHaveLength(expected === 200 ? 0 : 1);
    }
  });

  it('says what it takes when it gets a Request', async () => {
    await expect(call(new Request('http://localhost') as never, [])).rejects.toThrow('got a Request: use fetchHandler');
  });

  it.each<[string, Fields, Answer]>([
    ['headers that are text', { headers: 'none' }, 403],
    ['headers that throw', throwing('headers'), 500],
    ['a method in lower case', { httpMethod: 'post' }, 200],
    ['a path that throws', throwing('path'), 503],
    ['a query that is text', { queryStringParameters: 'a=1' }, 200],
    ['a requestContext that is null', { requestContext: null }, 200],
  ])('is passed an event with %s', async (_what, changes, expected) => {
    const codes: string[] = [];
    expect(
      await call(
        eventOf(() => changes),
        codes,
      ),
    ).toBe(expected);
    expect(codes).toHaveLength(expected === 200 ? 0 : 1);
  });

  it.each<[string, Fields, string]>([
    ['a method that is a number', { httpMethod: 7 }, 'ERR_WEBHOOK_CONFIG'],
    ['a body that is an object', { body: {} }, 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ])('rejects with a code where an event has %s', async (_what, changes, code) => {
    await expect(
      call(
        eventOf(() => changes),
        [],
      ),
    ).rejects.toMatchObject({ code });
  });

  it.each([
    null,
    7,
    {},
    { getRemainingTimeInMillis: 7 },
    { getRemainingTimeInMillis: () => 'long' },
    { getRemainingTimeInMillis: failing },
  ])('is passed the context %j', async (context) => {
    expect(
      await call(
        eventOf(() => ({})),
        [],
        context as never,
      ),
    ).toBe(200);
  });
});
