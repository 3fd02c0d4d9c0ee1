import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { type LambdaEvent, lambdaHandler } from '../../src/adapters/lambda.js';
import { type NodeRequest, nodeHandler, nodeVerifier } from '../../src/adapters/node.js';
import { createReceiver, type VerifierOptions } from '../../src/index.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { genuine, headersOf, now, SECRET } from '../matrix/deliveries.js';

// Wrappers and test tools pass objects that only look like requests. Whatever their properties are, an adapter answers with
// the right status or reports an error with a code, and nothing goes unhandled.

type Fields = Record<string, unknown>;
/** A status, or the code of the error that went to the host. */
type Answer = number | string;
const GONE = 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';

const failing = () => {
  throw new Error('a getter of the host');
};
const getter = (name: string, get: () => unknown) => (object: object) =>
  Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
const setting = (name: string, value: unknown) => getter(name, () => value);
const throwing = (name: string) => getter(name, failing);

const options = (codes: string[]): VerifierOptions => ({
  secret: ({ url }) => (url === 'none' ? undefined : SECRET),
  now,
  receiveTimeoutMs: 20,
  onError: ({ code }) => codes.push(code),
});
const receiving = (codes: string[]) => createReceiver({ ...options(codes), store: false, onEvent: () => {} });

const DELIVERY = genuine();
const headers = (): Fields =>
  Object.fromEntries(headersOf(DELIVERY).map(([name, value]) => [name.toLowerCase(), value]));
const [SIGNATURE = '', STAMP = ''] = Object.keys(headers()).filter((name) => name.startsWith('x-'));

/** A request of each host, and what the sender or the host gets for it. */
const HOSTS = {
  receiver: {
    make: () => ({ method: 'POST', headers: headers(), rawBody: () => DELIVERY.body }),
    async answer(given: unknown, codes: string[]): Promise<Answer> {
      const { headers, ...request } = given as { headers: Fields; method: string; rawBody(): string };
      return (await receiving(codes).handleRequest({ ...request, header: (name) => headers[name] })).status;
    },
  },
  Fetch: {
    make(): Fields {
      const sent = headers();
      const init = { method: 'POST', body: DELIVERY.body, headers: sent as Record<string, string> };
      const { method, url, body, bodyUsed } = new Request('http://localhost/webhooks', init);
      return { method, url, body, bodyUsed, headers: { get: (name: string) => sent[name] } };
    },
    answer: async (request: unknown, codes: string[]) =>
      (await fetchHandler(receiving(codes))(request as never)).status,
  },
  Lambda: {
    make: (): LambdaEvent => ({
      ...{ httpMethod: 'POST', path: '/webhooks', body: String(DELIVERY.body) },
      headers: headers() as Record<string, string>,
    }),
    answer: async (event: unknown, codes: string[]) =>
      (await lambdaHandler(receiving(codes))(event as LambdaEvent)).statusCode,
  },
  Node: {
    make(): NodeRequest {
      const stream = Readable.from([Buffer.from(DELIVERY.body)], { objectMode: false });
      return Object.assign(stream, { method: 'POST', url: '/webhooks', headers: headers(), complete: true }) as never;
    },
    async answer(request: unknown, codes: string[]) {
      const response = { statusCode: 0, headersSent: false, setHeader() {}, flushHeaders() {}, end() {}, destroy() {} };
      await nodeHandler(receiving(codes))(request as NodeRequest, response as never);
      return response.statusCode;
    },
  },
};

/** What an adapter makes of a request: its answer, or the code that it rejects with; each refusal has one error. */
async function answerOf(host: keyof typeof HOSTS, change: (request: object) => unknown): Promise<Answer> {
  const request = HOSTS[host].make();
  change(request);
  const codes: string[] = [];
  const answer: Answer = await HOSTS[host].answer(request, codes).catch((error: { code: string }) => error.code);
  expect(codes).toHaveLength(answer === 200 ? 0 : 1);
  return codes[0] === GONE ? GONE : answer;
}

expectNothingUnhandled();

describe.each(['receiver', 'Lambda', 'Node'] as const)('a request of %s', (host) => {
  it.each<[what: string, changed: Fields, expected: Answer]>([
    ['a length and a timestamp that are numbers', { 'content-length': 9, [STAMP]: Number(headers()[STAMP]) }, 200],
    ['values in lists', { [SIGNATURE]: [headers()[SIGNATURE]] }, 200],
    ['other headers that are nothing', { a: undefined, b: null, 'content-encoding': undefined }, 200],
    ['a signature in a list of two', { [SIGNATURE]: ['0', '0'] }, 403],
    ['a length over the limit that is a number', { 'content-length': 2e9 }, 413],
    ['a content-encoding in a list', { 'content-encoding': ['gzip'] }, 415],
    ['no signature', { [SIGNATURE]: undefined }, 403],
    ['a signature that is an object', { [SIGNATURE]: {} }, 403],
    ['a signature that is a function', { [SIGNATURE]: failing }, 403],
  ])('has headers with %s', async (_what, changed, expected) => {
    expect(await answerOf(host, (request) => Object.assign((request as { headers: Fields }).headers, changed))).toBe(
      expected,
    );
  });
});

it.each<[host: keyof typeof HOSTS, what: string, change: (request: object) => unknown, expected: Answer]>([
  ['Node', 'headers that are null', setting('headers', null), 403],
  ['Node', 'headers that throw', throwing('headers'), 500],
  ['Node', 'a header that throws', setting('headers', throwing('content-encoding')({})), 500],
  ['Node', 'a method in lower case', setting('method', 'post'), 200],
  ['Node', 'a method that is a symbol', setting('method', Symbol('POST')), 405],
  ['Node', 'a url that is an object', setting('url', new URL('http://localhost/webhooks')), 200],
  ['Node', 'no socket', setting('socket', undefined), 200],
  ['Node', 'a body that throws', throwing('body'), 500],
  ['Node', 'a rawBody that is an object', setting('rawBody', {}), 200],
  ['Node', 'a rawBody that throws', throwing('rawBody'), 500],
  ['Node', 'no readableEncoding', setting('readableEncoding', undefined), GONE],
  ['Node', 'an on that throws', setting('on', failing), 500],
  ['Node', 'no resume', setting('resume', undefined), 500],
  ['Node', 'a resume that does nothing', setting('resume', () => {}), 503],
  ['Fetch', 'headers that throw', setting('headers', { get: failing }), 500],
  ['Fetch', 'a method in lower case', setting('method', 'post'), 200],
  ['Fetch', 'a url that is no URL', setting('url', 'http://'), 200],
  ['Fetch', 'no body', setting('body', undefined), 403],
  [
    'Fetch',
    'a reader without cancel',
    setting('body', { getReader: () => ({ read: () => new Promise(() => {}) }) }),
    503,
  ],
  ['Fetch', 'a reader whose read throws', setting('body', { getReader: () => ({ read: failing }) }), 503],
  ['Fetch', 'a getReader that throws', setting('body', { getReader: failing }), 500],
  ['Fetch', 'a body that is an object', setting('body', {}), GONE],
  ['Fetch', 'a body that throws', throwing('body'), GONE],
  ['Fetch', 'a request that throws, as the NextRequest of the edge runtime has', throwing('request'), 200],
  ['Fetch', 'a bodyUsed that throws', throwing('bodyUsed'), GONE],
  ['Lambda', 'headers that are text', setting('headers', 'none'), 403],
  ['Lambda', 'headers that throw', throwing('headers'), 500],
  ['Lambda', 'a method in lower case', setting('httpMethod', 'post'), 200],
  ['Lambda', 'a query that is text', setting('queryStringParameters', 'a=1'), 200],
  ['Lambda', 'a requestContext that is null', setting('requestContext', null), 200],
])('a request of %s with %s is answered', async (host, _what, change, expected) => {
  expect(await answerOf(host, change)).toBe(expected);
});

it.each([null, 7, {}, { getRemainingTimeInMillis: 7 }, { getRemainingTimeInMillis: failing }])(
  'lambdaHandler takes the context %j',
  async (context) => {
    const event = HOSTS.Lambda.make();
    expect((await lambdaHandler(receiving([]))(event, context as never)).statusCode).toBe(200);
  },
);

it.each<[string, (request: object) => object]>([
  ['the event of SvelteKit', (request) => ({ request, url: new URL('http://localhost') })],
  ['the context of Hono', (request) => ({ req: { raw: request, method: 'POST', header: () => undefined } })],
  ['the event of h3', (request) => ({ req: request, res: {}, headers: { get() {} }, method: 'POST' })],
])('fetchHandler finds the Request in %s', async (_what, contextOf) => {
  expect(await HOSTS.Fetch.answer(contextOf(HOSTS.Fetch.make()), [])).toBe(200);
});

const node = (handler: typeof nodeHandler | typeof nodeVerifier, response: unknown) => (request: unknown) =>
  handler((handler === nodeHandler ? receiving([]) : options([])) as never)(request as NodeRequest, response as never);
const response = { end() {} };

it.each<[what: string, call: (request: unknown) => Promise<unknown>, given: unknown, message: RegExp]>([
  ['nodeHandler: nothing', node(nodeHandler, response), undefined, /got undefined\.$/],
  ['nodeVerifier: an object', node(nodeVerifier, response), {}, /request and response of Node.js, got an object\.$/],
  ['nodeHandler: a Request', node(nodeHandler, response), HOSTS.Fetch.make(), /got a Request: use fetchHandler\.$/],
  ['nodeHandler: an event of Lambda', node(nodeHandler, response), { requestContext: {} }, /use lambdaHandler\.$/],
  ['nodeHandler: the request of Fastify', node(nodeHandler, response), { raw: {} }, /use fastifyPlugin\.$/],
  ['nodeHandler: the context of Koa', node(nodeHandler, response), { req: {} }, /got a context: pass the request/],
  ['nodeHandler: no response', node(nodeHandler, undefined), HOSTS.Node.make(), /got undefined\.$/],
  ['lambdaHandler: a Request', (event) => HOSTS.Lambda.answer(event, []), HOSTS.Fetch.make(), /use fetchHandler/],
  ['lambdaHandler: no method', (event) => HOSTS.Lambda.answer(event, []), { httpMethod: 7 }, /not an HTTP request/],
])('%s is a ConfigError that says what to pass', async (_what, call, given, message) => {
  await expect(call(given)).rejects.toMatchObject({
    code: 'ERR_WEBHOOK_CONFIG',
    message: expect.stringMatching(message),
  });
});

it.each([
  [undefined, /got undefined\.$/],
  ['text', /got a string\.$/],
  [HOSTS.Node.make(), /use nodeHandler or expressHandler\.$/],
])('fetchHandler answers 500 if it gets no Request, and ends a response of Node.js: %#', async (given, message) => {
  const reported: Error[] = [];
  const receive = fetchHandler({ secret: SECRET, onEvent() {}, onError: (error) => reported.push(error) });
  const sent: unknown[] = [];
  const response = { writeHead: (status: number) => ({ end: () => sent.push(status) }) };
  const { status } = await receive(given as never, response, () => {});
  expect([status, ...sent]).toEqual([500, 500]);
  expect(reported).toMatchObject([{ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(message) }]);
});

it.each<[result: object, status: number, headers: Record<string, string>]>([
  [{ status: 200 }, 200, {}],
  [{ status: 405 }, 405, { allow: 'POST' }],
  [{ status: 503, retryAfterSeconds: 0 }, 503, { 'retry-after': '0' }],
  [{ status: 503, closeConnection: true }, 503, { connection: 'close' }],
  [{ status: 599 }, 599, {}],
  [{ status: 600 }, 500, {}],
  [{ status: 199 }, 500, {}],
  [{ status: 200.5 }, 500, {}],
  [{ status: '200' }, 500, {}],
])('fetchHandler answers the result %j of a receiver', async (result, status, headers) => {
  const receiver = { ...receiving([]), handleRequest: async () => result as never };
  const answer = await fetchHandler(receiver)(HOSTS.Fetch.make() as never);
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toEqual(headers);
});

it.each([
  ['4.29.1', 'got 4.29.1. Upgrade Fastify.'],
  [undefined, 'got an older one. Upgrade Fastify.'],
])('fastifyPlugin refuses Fastify %s', async (version, message) => {
  await expect(fastifyPlugin(receiving([]))({ version } as never)).rejects.toMatchObject({
    code: 'ERR_WEBHOOK_CONFIG',
    message: expect.stringContaining(message),
  });
});
