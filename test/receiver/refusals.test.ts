import { describe, expect, it } from 'vitest';
import {
  createReceiver,
  type DeliveryRequest,
  type HeaderNames,
  multibaasHeaders,
  type RefusedRequest,
  type VerifierOptions,
} from '../../src/index.js';
import type { ErrorContext } from '../../src/receive/request.js';
import { event, seconds, secret, signed } from '../helpers.js';

const delivery = signed([event('a')]);
const MORE = ' Causes and fixes: event-webhook-receiver/docs/errors.md#err_webhook_';

function receiving(options: Partial<VerifierOptions> = {}) {
  const told: { message: string; context: ErrorContext; request: RefusedRequest | undefined }[] = [];
  const receiver = createReceiver({
    secret,
    now: () => seconds * 1000,
    onEvent: () => {},
    ...options,
    onError: ({ message }, context) => told.push({ message, context, request: context.request?.() }),
  });
  return { receiver, told };
}

/** A request with headers, whose body arrives later. */
function requestOf(headers: Record<string, string>, method = 'POST'): DeliveryRequest {
  const rawBody = async () => new TextEncoder().encode(delivery.rawBody);
  return { method, header: (name) => headers[name], rawBody: () => rawBody };
}

async function refusal(headers: Record<string, string>, options: Partial<VerifierOptions> = {}) {
  const { receiver, told } = receiving(options);
  expect((await receiver.handleRequest(requestOf(headers))).status).toBe(403);
  return told[0]?.message;
}

const under = (names: HeaderNames, { signature, timestamp } = delivery) => ({
  [names.signature.toLowerCase()]: signature ?? '',
  [names.timestamp.toLowerCase()]: timestamp ?? '',
});
const service = { signature: 'x-service-signature', timestamp: 'x-service-timestamp' };

describe('the message of a refusal', () => {
  it('names a header as the option headers does', async () => {
    expect(await refusal(under(service), { headers: multibaasHeaders })).toMatch(/^X-MultiBaas-Signature is missing\./);
  });

  it('leads to the section that explains a mismatch, and says nothing that was expected', async () => {
    expect(await refusal(under(service), { secret: 'another' })).toBe(
      `Signature mismatch: forged request, wrong secret, or modified body.${MORE}signature`,
    );
  });
});

describe('context.request', () => {
  async function refused(
    headers: Record<string, string>,
    options: Partial<VerifierOptions>,
  ): Promise<RefusedRequest | undefined> {
    const { receiver, told } = receiving(options);
    await receiver.handleRequest(requestOf(headers));
    return told[0]?.request;
  }

  it.each([
    ['a mismatch', { secret: 'another' }],
    ['a stale timestamp', { now: () => 0 }],
  ])('has the parts and the bytes of %s', async (_, options) => {
    const request = await refused({ ...under(service), via: 'proxy' }, options);
    expect(request).toMatchObject({ signature: delivery.signature, timestamp: delivery.timestamp });
    expect(new TextDecoder().decode(request?.rawBody as Uint8Array)).toBe(delivery.rawBody);
    expect(request?.header('Via')).toBe('proxy');
    expect(request?.header('forwarded')).toBeUndefined();
  });

  it('is there for parts that were passed alone', async () => {
    const { receiver, told } = receiving({ secret: 'another' });
    await receiver.handle(delivery);
    await receiver.handle({ ...delivery, request: { header: (name) => `${name}!`, url: '/a' } });
    const [alone, beside] = told.map(({ request }) => request);
    expect(alone?.rawBody).toBe(delivery.rawBody);
    expect(alone?.header('via')).toBeUndefined();
    expect(beside?.header('Via')).toBe('via!');
    expect(beside?.url).toBe('/a');
  });

  it('is absent where no delivery was read, and for items', async () => {
    const { receiver, told } = receiving();
    await receiver.handleRequest(requestOf({}, 'GET'));
    await receiver.handle(signed([{ id: 'odd', event: 'event.emitted', data: 1 }]));
    expect(told.map(({ request }) => request)).toEqual([undefined, undefined]);
  });

  it('is empty once the hook has returned, and in no log of the context', async () => {
    const { receiver, told } = receiving({ secret: 'another' });
    await receiver.handle(delivery);
    expect(told[0]?.request).toBeDefined();
    expect(told[0]?.context.request?.()).toBeUndefined();
    expect(Object.keys(told[0]?.context ?? {})).toEqual([]);
  });
});
