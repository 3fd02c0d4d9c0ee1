import { describe, expect, it } from 'vitest';
import { type LambdaContext, type LambdaEvent, lambdaHandler } from '../../src/adapters/lambda.js';
import { ConfigError, RawBodyUnavailableError } from '../../src/index.js';
import type { OnEventOptions } from '../../src/receiver/options.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { genuine, headersOf, now, SECRET, type SignedDelivery, sign } from '../matrix/deliveries.js';
import { lambdaTargets } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

for (const target of lambdaTargets.slice(0, 1)) matrix(target, { large: false });

// Events that no request makes, and what the emulator of the matrix does not look at.

type AnyEvent = Record<string, unknown>;

function start(options: Partial<OnEventOptions> = {}) {
  const seen: string[] = [];
  const codes: string[] = [];
  const handler = lambdaHandler({
    secret: SECRET,
    now,
    store: false,
    onEvent: ({ id }) => void seen.push(id),
    onError: ({ code }) => void codes.push(code),
    ...options,
  });
  return {
    seen,
    codes,
    handler: (event: unknown, context?: unknown) => handler(event as LambdaEvent, context as LambdaContext),
  };
}

const signedHeaders = (delivery: SignedDelivery): Record<string, string> => Object.fromEntries(headersOf(delivery));
const inLists = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

const restEvent = (delivery: SignedDelivery, rest: AnyEvent = {}): AnyEvent => ({
  httpMethod: 'POST',
  headers: signedHeaders(delivery),
  multiValueHeaders: inLists(signedHeaders(delivery)),
  requestContext: { stage: 'prod' },
  body: delivery.body.toString(),
  isBase64Encoded: false,
  ...rest,
});

const urlEvent = (delivery: SignedDelivery, rest: AnyEvent = {}): AnyEvent => ({
  version: '2.0',
  headers: signedHeaders(delivery),
  requestContext: { http: { method: 'POST' } },
  body: delivery.body.toString(),
  ...rest,
});

const balancerEvent = (delivery: SignedDelivery, rest: AnyEvent = {}): AnyEvent => ({
  httpMethod: 'POST',
  headers: signedHeaders(delivery),
  requestContext: { elb: { targetGroupArn: 'arn' } },
  body: delivery.body.toString(),
  isBase64Encoded: false,
  ...rest,
});

describe('lambdaHandler', () => {
  expectNothingUnhandled();

  const answer = { statusCode: 200, body: '', isBase64Encoded: false };

  it.each<[string, (delivery: SignedDelivery) => AnyEvent, object]>([
    ['a REST API', restEvent, { ...answer, headers: {} }],
    ['a function URL', urlEvent, { ...answer, headers: {} }],
    ['a load balancer', balancerEvent, { ...answer, statusDescription: '200 OK', headers: {} }],
    [
      'a load balancer with multi-value headers',
      (delivery) =>
        balancerEvent(delivery, { headers: undefined, multiValueHeaders: inLists(signedHeaders(delivery)) }),
      { ...answer, statusDescription: '200 OK', multiValueHeaders: {} },
    ],
  ])('answers %s in the form that it takes', async (_host, eventOf, expected) => {
    const { handler, seen } = start();
    expect(await handler(eventOf(genuine()))).toEqual(expected);
    expect(seen).toHaveLength(1);
  });

  it('names the status to a load balancer, and gives headers where it looks for them', async () => {
    const { handler } = start({ maxBodyBytes: 10 });
    const get = { httpMethod: 'GET', headers: {}, body: '' };
    expect(await handler(balancerEvent(genuine(), get))).toEqual({
      ...answer,
      statusCode: 405,
      statusDescription: '405 Refused',
      headers: { Allow: 'POST' },
    });
    expect(await handler(balancerEvent(genuine(), { ...get, headers: undefined, multiValueHeaders: {} }))).toEqual({
      ...answer,
      statusCode: 405,
      statusDescription: '405 Refused',
      multiValueHeaders: { Allow: ['POST'] },
    });
    expect(await handler(balancerEvent(genuine()))).toMatchObject({
      statusCode: 413,
      statusDescription: '413 Refused',
    });
    expect(await handler(balancerEvent({ ...genuine(), signature: '' }))).toMatchObject({
      statusDescription: '403 Refused',
    });
  });

  it.each([
    ['headers alone', (headers: Record<string, string>) => ({ headers, multiValueHeaders: null })],
    [
      'multi-value headers alone',
      (headers: Record<string, string>) => ({ headers: null, multiValueHeaders: inLists(headers) }),
    ],
    [
      'multi-value headers that are empty',
      (headers: Record<string, string>) => ({
        headers,
        multiValueHeaders: { ...inLists({}), 'X-Service-Signature': [] },
      }),
    ],
    ['headers beside a list that is null', () => ({ multiValueHeaders: { 'X-Service-Signature': null } })],
  ])('takes %s', async (_what, place) => {
    const { handler } = start();
    const delivery = genuine();
    expect(await handler(restEvent(delivery, place(signedHeaders(delivery))))).toMatchObject({ statusCode: 200 });
  });

  it('refuses a header that is there twice, in a list or in two cases', async () => {
    const { handler, codes } = start();
    const delivery = genuine();
    const headers = signedHeaders(delivery);
    const twice = { ...inLists(headers), 'X-Service-Signature': [delivery.signature, delivery.signature] };
    const inTwoCases = { ...headers, 'x-service-signature': delivery.signature };
    for (const event of [
      restEvent(delivery, { multiValueHeaders: twice }),
      restEvent(delivery, { headers: inTwoCases, multiValueHeaders: inLists(inTwoCases) }),
      urlEvent(delivery, { headers: inTwoCases }),
      urlEvent(delivery, { headers: { ...headers, 'X-Service-Signature': `${delivery.signature},0` } }),
      balancerEvent(delivery, { headers: undefined, multiValueHeaders: twice }),
    ]) {
      expect(await handler(event)).toMatchObject({ statusCode: 403 });
    }
    expect(new Set(codes)).toEqual(new Set(['ERR_WEBHOOK_HEADER']));
  });

  it('counts the bytes of a body, and not its characters', async () => {
    const delivery = sign('["é€𝄞"]');
    const { length } = delivery.body;
    const base64 = { body: delivery.body.toString('base64'), isBase64Encoded: true };
    for (const event of [urlEvent(delivery), urlEvent(delivery, base64)]) {
      expect(await start({ maxBodyBytes: length }).handler(event)).not.toMatchObject({ statusCode: 413 });
      expect(await start({ maxBodyBytes: length - 1 }).handler(event)).toMatchObject({ statusCode: 413 });
    }
  });

  it('refuses text in which a host has replaced bytes that are no UTF-8', async () => {
    const { handler, codes } = start();
    const delivery = sign(Buffer.from('[{"id":"\xff"}]', 'latin1'));
    expect(await handler(restEvent(delivery))).toMatchObject({ statusCode: 403 });
    expect(codes).toEqual(['ERR_WEBHOOK_SIGNATURE']);
  });

  it.each<[string, (delivery: SignedDelivery) => unknown]>([
    ['an object in its body', (delivery) => restEvent(delivery, { body: JSON.parse(String(delivery.body))[0] })],
    ['an array in its body', (delivery) => urlEvent(delivery, { body: JSON.parse(String(delivery.body)) })],
    ['a mapping template of its own', (delivery) => ({ body: JSON.parse(String(delivery.body)), headers: {} })],
    ['a list in its place', () => []],
    ['the parsed body and nothing else', (delivery) => JSON.parse(String(delivery.body))],
  ])('rejects an event with %s, with what to do', async (_what, eventOf) => {
    const { handler, seen, codes } = start();
    const failed = handler(eventOf(genuine()));
    await expect(failed).rejects.toThrow(RawBodyUnavailableError);
    await expect(failed).rejects.toThrow(/Lambda proxy integration.*text or in base64.*mapping template/);
    expect([...seen, ...codes]).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', '[]'],
    ['a number', 7],
    ['an empty object', {}],
    ['messages of a queue', { Records: [{ body: '[]', eventSource: 'aws:sqs' }] }],
    ['a scheduled event', { 'detail-type': 'Scheduled Event', source: 'aws.events', detail: {} }],
    ['a message of a WebSocket', { requestContext: { eventType: 'MESSAGE', connectionId: '1' }, body: '[]' }],
    ['odd members', { httpMethod: 7, requestContext: null, headers: 'x', multiValueHeaders: 0, body: '[]' }],
  ])('rejects %s, which is not an HTTP request', async (_what, event) => {
    const { handler, codes } = start();
    await expect(handler(event)).rejects.toThrow(ConfigError);
    await expect(handler(event)).rejects.toThrow(/not an HTTP request of API Gateway/);
    expect(codes).toEqual([]);
  });
});

describe('lambdaHandler with a context', () => {
  it.each<[string, unknown, number[]]>([
    ['Lambda’s context', { getRemainingTimeInMillis: () => 20_000 }, [19_000, 19_500]],
    ['none', undefined, [29_000, 30_000]],
    ['one of an emulator, without the function', {}, [29_000, 30_000]],
  ])('limits its handlers by the context: %s', async (_what, context, [least = 0, most = 0]) => {
    let ms = 0;
    const onEvent: OnEventOptions['onEvent'] = (_event, { deadline }) => {
      ms = deadline - Date.now();
    };
    expect(await start({ onEvent }).handler(urlEvent(genuine()), context)).toMatchObject({ statusCode: 200 });
    expect(ms).toBeGreaterThan(least);
    expect(ms).toBeLessThanOrEqual(most);
  });

  it('calls the function as a method of its context, and begins nothing where it leaves no time', async () => {
    class Context {
      readonly #ms = -1;
      getRemainingTimeInMillis = function (this: Context) {
        return this.#ms;
      };
    }
    const { handler, seen, codes } = start();
    expect(await handler(urlEvent(genuine()), new Context())).toMatchObject({ statusCode: 503 });
    expect([seen, codes]).toEqual([[], ['ERR_WEBHOOK_OUT_OF_TIME']]);
  });
});
