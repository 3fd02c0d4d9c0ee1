import express from 'express';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { expressHandler } from '../../src/adapters/express.js';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { lambdaHandler } from '../../src/adapters/lambda.js';
import { nodeHandler } from '../../src/adapters/node.js';
import type { ReceiverOptions } from '../../src/index.js';
import { pathOf } from '../../src/receive/request.js';
import { serve } from '../matrix/app.js';
import { fetchRequest, genuine, headersOf, now, SECRET } from '../matrix/deliveries.js';
import { answerTo, head } from '../matrix/wire.js';

/** Options of which the secret function notes the url that it is given. */
function noting() {
  const urls: unknown[] = [];
  const options: ReceiverOptions = {
    now,
    secret: ({ url }) => {
      urls.push(url);
      return SECRET;
    },
    onEvent: () => {},
  };
  return { urls, options };
}

async function postTo(port: number, target: string): Promise<void> {
  const delivery = genuine();
  const headers = [...headersOf(delivery), ['Content-Length', String(delivery.body.length)] as const];
  expect(await answerTo(port, head(headers, 'POST', target), delivery.body)).toMatchObject({ status: 200 });
}

const PATH = '/webhooks/a%2Fb?tenant=x%20y&tenant=z';

describe('the url that a secret function gets', () => {
  it.each<[string, (options: ReceiverOptions) => Parameters<typeof serve>[0] | Promise<Parameters<typeof serve>[0]>]>([
    ['nodeHandler', nodeHandler],
    ['expressHandler', (options) => express().all('/webhooks/:id', expressHandler(options))],
    [
      'expressHandler in a router',
      (options) => express().use('/webhooks', express.Router().all('/:id', expressHandler(options))),
    ],
    [
      'fastifyPlugin',
      async (options) => {
        const app = Fastify();
        await app.register(fastifyPlugin(options), { prefix: '/webhooks/:id' }).ready();
        return (request, response) => app.routing(request, response);
      },
    ],
  ])('is path and query as they were asked for: %s', async (name, listen) => {
    const { urls, options } = noting();
    const { port } = await serve(await listen(options));
    await postTo(port, PATH);
    expect(urls).toEqual([PATH]);
    if (name !== 'nodeHandler') return;
    for (const whole of ['http://elsewhere:81/hooks?a=1', 'http://elsewhere?a=1', '//elsewhere/x']) {
      await postTo(port, whole);
    }
    expect(urls.slice(1)).toEqual(['/hooks?a=1', '/?a=1', '//elsewhere/x']);
  });

  it('is path and query as they were asked for: fetchHandler', async () => {
    const { urls, options } = noting();
    const request = fetchRequest(genuine(), { url: `https://example.com${PATH}#part` });
    expect((await fetchHandler(options)(request)).status).toBe(200);
    expect(urls).toEqual([PATH]);
  });

  it.each([
    ['hooks/a//x', '/hooks/a//x'],
    ['?next=http://elsewhere/x', '/?next=http://elsewhere/x'],
    [7, undefined],
  ])('is path and query of %j', (url, path) => expect(pathOf(url)).toBe(path));

  it.each([
    [
      'an HTTP API',
      {
        rawPath: '/webhooks/a%2Fb',
        rawQueryString: 'tenant=x%20y&tenant=z',
        requestContext: { http: { method: 'POST' } },
      },
    ],
    [
      'a REST API',
      {
        httpMethod: 'POST',
        path: '/webhooks/a%2Fb',
        queryStringParameters: { tenant: 'z' },
        multiValueQueryStringParameters: { tenant: ['x y', 'z'] },
      },
    ],
    [
      'a load balancer',
      {
        httpMethod: 'POST',
        path: '/webhooks/a%2Fb',
        requestContext: { elb: {} },
        multiValueQueryStringParameters: { tenant: ['x%20y', 'z'] },
      },
    ],
  ])('is path and query as they were asked for: lambdaHandler behind %s', async (_host, event) => {
    const { urls, options } = noting();
    const { body, ...delivery } = genuine();
    const handler = lambdaHandler(options);
    const whole = { ...event, headers: Object.fromEntries(headersOf(delivery)), body: String(body) };
    expect((await handler(whole as never)).statusCode).toBe(200);
    expect(urls).toEqual([PATH]);
    const queryStringParameters = { tenant: null, other: undefined };
    await handler({
      ...whole,
      ...{ rawPath: undefined, rawQueryString: undefined, httpMethod: 'POST' },
      path: '/empty',
      queryStringParameters,
      multiValueQueryStringParameters: null,
    } as never);
    expect(urls.slice(1)).toEqual(['/empty?tenant=&other=']);
  });
});
