import { describe, expect, it } from 'vitest';
import { type DeliveryRequest, signDelivery } from '../../src/index.js';
import { deferred, event, noting, type Settings, seconds, secret, signed } from '../helpers.js';

const encode = (text: string) => new TextEncoder().encode(text);
const code = (name: string) => ({ error: { code: name } });

/** A request with a genuine delivery, and whatever else a test says. */
function requestOf(changes: Partial<DeliveryRequest> = {}, headers: Record<string, string> = {}): DeliveryRequest {
  const { rawBody, signature, timestamp } = signed([event('a')]);
  const all: Record<string, string> = {
    'x-service-signature': signature,
    'x-service-timestamp': timestamp,
    ...headers,
  };
  return { method: 'POST', header: (name) => all[name], rawBody: () => encode(rawBody), ...changes };
}

describe('the body of a delivery', () => {
  // Five characters in the name, ten bytes.
  const delivery = signed([event('é'.repeat(5))]);
  const bytes = encode(delivery.rawBody);

  it.each([
    ['text', delivery.rawBody],
    ['bytes', bytes],
  ])('may have as many bytes as maxBodyBytes, and no more: %s', async (_form, rawBody) => {
    const answer = (maxBodyBytes: number) => noting({ maxBodyBytes }).receiver.handle({ ...delivery, rawBody });
    expect((await answer(bytes.length)).status).toBe(200);
    expect(await answer(bytes.length - 1)).toMatchObject({ status: 413, ...code('ERR_WEBHOOK_BODY_TOO_LARGE') });
  });

  it('of lone surrogates counts the three bytes that each is sent as', async () => {
    const rawBody = `["${'\ud83c'.repeat(1000)}"]`;
    const { receiver } = noting({ maxBodyBytes: 3000 });
    expect((await receiver.handle({ ...signDelivery(rawBody.toWellFormed(), { secret }), rawBody })).status).toBe(413);
  });

  it('of half a million tiny items is refused with one report and one line', async () => {
    const lines: unknown[] = [];
    const log = (_: object, message: string) => lines.push(message);
    const { receiver, reported } = noting({ logger: { debug: log, info: log, warn: log, error: log } });
    const body = `[${'1,'.repeat(524_287)}1]`;
    const answer = await receiver.handle(signDelivery(body, { secret, timestamp: seconds }));
    expect(answer).toMatchObject({ status: 413, outcomes: [] });
    expect(reported).toEqual(['ERR_WEBHOOK_BODY_TOO_LARGE']);
    expect(lines).toEqual([
      'The body has 524288 items, more than maxEvents (10000). Raise maxEvents if the sender is yours.',
    ]);
  });

  it('is refused by its content-length before it is read', async () => {
    const rawBody = () => () => Promise.reject(new Error('It was read.'));
    const { receiver } = noting({ maxBodyBytes: 100 });
    const answer = (length: string) => receiver.handleRequest(requestOf({ rawBody }, { 'content-length': length }));
    expect(await answer('101')).toMatchObject({ status: 413 });
    expect(await answer('100')).toMatchObject({ status: 500, error: { cause: { message: 'It was read.' } } });
  });

  it('is 500 when it arrives empty although its content-length announces bytes', async () => {
    const rawBody = () => new Uint8Array();
    const answer = async (length: string) =>
      (await noting().receiver.handleRequest(requestOf({ rawBody }, { 'content-length': length }))).error;
    expect(await answer('2')).toMatchObject({
      code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE',
      message: expect.stringMatching(
        / It arrived empty, .*: register the handler before anything that parses bodies\.$/,
      ),
    });
    expect(await answer('0')).toMatchObject({ code: 'ERR_WEBHOOK_SIGNATURE' });
  });

  it('is not waited for longer than receiveTimeoutMs', async () => {
    const rawBody = () => () => new Promise<never>(() => {});
    const { error } = await noting({ receiveTimeoutMs: 10 }).receiver.handleRequest(requestOf({ rawBody }));
    expect(error?.message).toBe('The body did not arrive completely: it took longer than 10 ms (receiveTimeoutMs).');
  });

  it('loses its place to no request without the headers of a delivery', async () => {
    const { receiver } = noting({ maxArriving: 1 });
    const body = deferred<Uint8Array>();
    const request = requestOf({ rawBody: () => () => body.promise });
    const genuine = receiver.handleRequest(request);
    const stranger = { ...request, header: () => undefined, rawBody: () => () => new Promise<never>(() => {}) };
    expect((await receiver.handleRequest(stranger)).status).toBe(403);
    body.resolve(encode(signed([event('a')]).rawBody));
    expect((await genuine).status).toBe(200);
  });

  it('counts towards maxArrivingBytes from when it is there, and once', async () => {
    const gate = deferred<string>();
    const half = Math.ceil(bytes.length / 2);
    const limits: Settings = { secret: () => gate.promise, maxBodyBytes: bytes.length };
    const two = noting({ ...limits, maxArrivingBytes: bytes.length + half }).receiver;
    const [first, second] = [two.handle(delivery), two.handle(delivery)];
    expect(await second).toMatchObject({ status: 503, ...code('ERR_WEBHOOK_OVERLOADED') });
    // An adapter's reader has counted its chunks itself.
    const one = noting({ ...limits, maxArrivingBytes: bytes.length + half }).receiver;
    const { signature, timestamp } = delivery;
    const read = one.handleRequest(
      requestOf(
        {
          rawBody:
            () =>
            async ({ arrival }) => {
              arrival.received(bytes.length);
              return bytes;
            },
        },
        { 'x-service-signature': signature, 'x-service-timestamp': timestamp },
      ),
    );
    gate.resolve(secret);
    expect((await first).status).toBe(200);
    expect((await read).status).toBe(200);
  });
});

describe('a secret function', () => {
  it('takes no place of a look-up if it is synchronous', async () => {
    const { receiver } = noting({ secret: () => secret, maxLookUps: 1 });
    const answers = await Promise.all(['a', 'b'].map((id) => receiver.handle(signed([event(id)]))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('has its signal aborted with the reason when its delivery is dropped', async () => {
    let signal: AbortSignal | undefined;
    const { receiver } = noting({
      secret: (request) => {
        signal = request.signal;
        return new Promise(() => {});
      },
    });
    const { error } = await receiver.handle({ ...signed([event('a')]), remainingMs: () => 110 });
    expect(error?.code).toBe('ERR_WEBHOOK_OUT_OF_TIME');
    expect(signal?.reason).toBe(error);
  });

  it('finds the headers of the request in any case, and its url', async () => {
    const { receiver, handled } = noting({
      secret: ({ header, url }) => (header('X-Tenant') === '7' && url === '/hooks' ? secret : undefined),
    });
    expect((await receiver.handleRequest(requestOf({ url: '/hooks' }, { 'x-tenant': '7' }))).status).toBe(200);
    expect((await receiver.handleRequest(requestOf({ url: '/hooks' }))).status).toBe(403);
    expect(handled).toEqual(['a']);
  });

  it('finds the headers and the url of a request that was passed beside the parts', async () => {
    const seen: unknown[] = [];
    const { receiver } = noting({
      secret: ({ header, url, signal }) => {
        seen.push(header('X-Tenant'), url, signal.aborted);
        return secret;
      },
    });
    const request = {
      tenant: '7',
      url: '/hooks',
      header(name: string) {
        return name === 'x-tenant' ? this.tenant : undefined;
      },
    };
    expect((await receiver.handle({ ...signed([event('a')]), request })).status).toBe(200);
    expect(seen).toEqual(['7', '/hooks', false]);
  });
});
