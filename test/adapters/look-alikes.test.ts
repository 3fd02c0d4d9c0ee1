import { describe, expect, it } from 'vitest';
import { fetchHandler, verifyRequest } from '../../src/adapters/fetch.js';
import { type LambdaEvent, lambdaHandler, lambdaVerifier } from '../../src/adapters/lambda.js';
import { createVerifier, type DeliveryRequest } from '../../src/index.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { type Delivery, genuine } from '../matrix/deliveries.js';
import { type Answer, CHANGED_HEADERS, type Fields, failing, lower, options, receiving } from './look-alikes.js';

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

const webs: readonly [name: string, (request: Request, codes: string[]) => Promise<Answer>][] = [
  ['fetchHandler', async (request, codes) => (await fetchHandler(receiving(codes))(request)).status],
  [
    'verifyRequest',
    async (request, codes) => (await verifyRequest(request, createVerifier(options(codes)))).response?.status ?? 200,
  ],
];

describe.each(webs)('%s', (_, call) => {
  expectNothingUnhandled();

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

  it.each<[string, Fields, Answer]>([
    ['no headers', { headers: undefined }, 500],
    ['headers without get', { headers: {} }, 500],
    [
      'headers that throw',
      {
        get headers() {
          return failing();
        },
      },
      500,
    ],
    ['a method in lower case', { method: 'post' }, 200],
    ['no method', { method: undefined }, 405],
    [
      'a method that throws',
      {
        get method() {
          return failing();
        },
      },
      500,
    ],
    ['no url', { url: undefined }, 200],
    ['a url that is no URL', { url: 'http://' }, 200],
    [
      'a url that throws',
      {
        get url() {
          return failing();
        },
      },
      200,
    ],
    [
      'a bodyUsed that throws',
      {
        get bodyUsed() {
          return failing();
        },
      },
      500,
    ],
    [
      'a body that throws',
      {
        get body() {
          return failing();
        },
      },
      500,
    ],
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

  it.each([undefined, null, 7, 'text', {}])('is passed %j in place of a request', async (request) => {
    const codes: string[] = [];
    expect([405, 500]).toContain(await call(request as never, codes));
    expect(codes).toHaveLength(1);
  });
});

const lambdas: readonly [name: string, (event: LambdaEvent, codes: string[], context?: object) => Promise<Answer>][] = [
  [
    'lambdaHandler',
    async (event, codes, context) => (await lambdaHandler(receiving(codes))(event, context)).statusCode,
  ],
  [
    'lambdaVerifier',
    async (event, codes, context) => (await lambdaVerifier(options(codes))(event, context)).result?.statusCode ?? 200,
  ],
];

describe.each(lambdas)('%s', (_, call) => {
  expectNothingUnhandled();

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

  it.each<[string, Fields, Answer]>([
    ['no headers', { headers: undefined }, 403],
    ['headers that are text', { headers: 'none' }, 403],
    [
      'headers that throw',
      {
        get headers() {
          return failing();
        },
      },
      500,
    ],
    ['a method in lower case', { httpMethod: 'post' }, 200],
    ['a path that is a number', { path: 7 }, 200],
    [
      'a path that throws',
      {
        get path() {
          return failing();
        },
      },
      503,
    ],
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
    [
      'a method that throws',
      {
        get httpMethod() {
          return failing();
        },
      },
      'ERR_WEBHOOK_INTERNAL',
    ],
    ['a body that is an object', { body: {} }, 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
    [
      'a body that throws',
      {
        get body() {
          return failing();
        },
      },
      'ERR_WEBHOOK_INTERNAL',
    ],
  ])('rejects with a code where an event has %s', async (_what, changes, code) => {
    await expect(
      call(
        eventOf(() => changes),
        [],
      ),
    ).rejects.toMatchObject({ code });
  });

  it.each([undefined, null, 7, 'text', {}, [], new Request('http://localhost')])(
    'rejects with a code for %j',
    async (event) => {
      await expect(call(event as never, [])).rejects.toMatchObject({ code: expect.stringContaining('ERR_WEBHOOK_') });
    },
  );

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
