import { Hono } from 'hono';
import { fetchHandler } from '../../../src/adapters/fetch.js';
import { type LambdaEvent, lambdaHandler } from '../../../src/adapters/lambda.js';
import { ConfigError, RawBodyUnavailableError } from '../../../src/errors.js';
import { Authentic, EVENT } from '../authentic.js';
import { check, partsOf, type Target } from '../target.js';

const STATUSES = new Set([200, 400, 403, 405, 413, 415, 422, 503]);

const authentic = new Authentic();
const lambda = lambdaHandler(authentic.receiver);
const onFetch = fetchHandler(authentic.receiver);
const hono = new Hono().all('*', (context) => onFetch(context.req.raw));

/** A request from its text: a line with method and URL, headers, an empty line, and the body in pieces. */
function requestOf(text: string): Request | undefined {
  const [head = '', ...body] = text.split('\n\n');
  const [first = '', ...lines] = head.split('\n');
  const [method = '', url = ''] = first.split(' ');
  const pieces = body
    .join('\n\n')
    .split('\x01')
    .map((piece) => Buffer.from(piece, 'latin1'));
  const stream = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new Uint8Array(piece));
      controller.close();
    },
  });
  try {
    const headers = lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]);
    const hasBody = !/^(get|head)$/i.test(method);
    return new Request(url, { method, headers, ...(hasBody ? { body: stream, duplex: 'half' } : {}) } as RequestInit);
  } catch {
    // Fetch refuses such a request before anybody gets it.
    return undefined;
  }
}

function eventOf(text: string): { readonly event: LambdaEvent } | undefined {
  try {
    return { event: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

async function checkFetch(answer: (request: Request) => Response | Promise<Response>, text: string): Promise<number> {
  const request = requestOf(text);
  if (!request) return 0;
  const response = await answer(request);
  check(response.body === null || (await response.text()) === '', 'an answer has no body');
  return response.status;
}

async function checkLambda(text: string): Promise<number> {
  const given = eventOf(text);
  if (!given) return 0;
  try {
    const { statusCode, body, headers, multiValueHeaders } = await lambda(given.event);
    check(body === '', 'an answer has no body');
    check(headers === undefined || multiValueHeaders === undefined, 'headers are in one place');
    return statusCode;
  } catch (error) {
    // The host has parsed the body, or the event is not an HTTP request.
    if (error instanceof RawBodyUnavailableError || error instanceof ConfigError) return 0;
    throw error;
  }
}

const names = { 'X-Service-Signature': '{sig}', 'x-service-timestamp': '{time}' };
const genuine = `POST http://a/b?c\nX-Service-Signature: {sig}\nX-Service-Timestamp: {time}\n\n{body}`;
const http = { requestContext: { http: { method: 'POST' } }, rawPath: '/a', rawQueryString: 'b=c' };

/** A digit for the adapter, the body that is signed, and a request, or an event as JSON text. */
export const target: Target = {
  seeds: [
    `0\n[${EVENT}]\n${genuine}`,
    `1\n[${EVENT}]\n${genuine.replace('{body}', '{split}\x01')}`,
    `2\n[${EVENT}]\n${JSON.stringify({ ...http, headers: names, body: '{base64}', isBase64Encoded: true })}`,
    `2\n[]\n${JSON.stringify({ httpMethod: 'POST', path: '/', multiValueHeaders: { 'x-service-signature': ['{sig}'], 'X-Service-Timestamp': ['{time}'] }, body: '{body}' })}`,
    `2\n[]\n${JSON.stringify({ httpMethod: 'POST', requestContext: { elb: {} }, headers: names, body: '[]', queryStringParameters: { a: 'b' } })}`,
  ],
  dictionary: [
    ...'{sig} {time} {body} {base64} {split} null {} [] "" true "headers": "body": GET PUT'.split(' '),
    '\x01',
    'Content-Encoding: gzip',
    'Content-Length: 5',
    'content-type: a',
    '\n\n',
  ],
  mostMs: 2000,
  async run(input) {
    const [digit, body = input, rest = input] = partsOf(input, 3);
    const text = authentic.begin(rest.toString('latin1'), body);
    const host = (digit?.[0] ?? 0) % 3;
    const status = host === 2 ? await checkLambda(text) : await checkFetch(host === 1 ? hono.fetch : onFetch, text);
    const handled = authentic.end();
    check(status === 0 || STATUSES.has(status), `${status} is not a status of an answer`);
    check(handled.length === 0 || status === 200 || status === 422, 'what was handled is answered as handled');
  },
};
