import { describe, expect, it } from 'vitest';
import { createReceiver } from '../../src/index.js';
import { sampleTransactionIncluded } from '../../src/testing/index.js';
import { event, noting, seconds, secret, signed } from '../helpers.js';

describe('handle', () => {
  it('answers 200 once every event was handled, in their order', async () => {
    const { receiver, handled, reported } = noting();
    const result = await receiver.handle(signed([event('a'), sampleTransactionIncluded({ id: 'b' }), event('c')]));
    expect(result).toMatchObject({ status: 200, error: undefined, retryAfterSeconds: undefined });
    expect(result.outcomes.map(({ status }) => status)).toEqual(['handled', 'handled', 'handled']);
    expect(handled).toEqual(['a', 'b', 'c']);
    expect(reported).toEqual([]);
  });

  it('never rejects, whatever it is given', async () => {
    const { receiver, reported } = noting();
    expect((await receiver.handle({} as never)).status).toBe(403);
    expect(await receiver.handle(undefined as never)).toMatchObject({
      status: 500,
      error: { code: 'ERR_WEBHOOK_INTERNAL' },
    });
    expect(reported).toEqual(['ERR_WEBHOOK_HEADER', 'ERR_WEBHOOK_INTERNAL']);
  });

  it('answers 500 when a function of the options fails, and keeps the cause for the logs', async () => {
    const cause = Object.assign(new Error('no clock'), { code: 'EIO' });
    const now = () => {
      throw cause;
    };
    const result = await noting({ now, toleranceSeconds: 1 }).receiver.handle(signed([event('a')]));
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_INTERNAL', cause } });
  });
});

describe('an error of another copy of the library', () => {
  it.each([
    [413, 'ERR_WEBHOOK_BODY_TOO_LARGE'],
    [503, 'ERR_WEBHOOK_BODY_INCOMPLETE'],
    [500, 'ERR_WEBHOOK_NOT_KNOWN_HERE'],
  ])('that a body reader rejects with is answered %d, by its code', async (status, code) => {
    const foreign = Object.assign(new Error('of another copy'), { code, status: 200 });
    const { signature, timestamp } = signed([event('a')]);
    const headers: Record<string, string> = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
    const { receiver } = noting();
    const request = {
      method: 'POST',
      header: (name: string) => headers[name],
      rawBody: () => () => Promise.reject(foreign),
    };
    expect(await receiver.handleRequest(request)).toMatchObject({
      status,
      error: { code, message: 'of another copy', cause: foreign },
    });
  });
});

describe('the window', () => {
  it('is 300 seconds by default', async () => {
    const at = (off: number) => signed([event('a')], { timestamp: seconds + off });
    expect((await noting().receiver.handle(at(-300))).status).toBe(200);
    expect((await noting().receiver.handle(at(-301))).status).toBe(403);
    expect((await noting().receiver.handle(at(301))).status).toBe(403);
  });

  it('is any with toleranceSeconds: false, which reads no clock', async () => {
    const now = () => expect.unreachable('the clock was read');
    const { receiver } = noting({ toleranceSeconds: false, now });
    expect((await receiver.handle(signed([event('a')], { timestamp: 0 }))).status).toBe(200);
  });

  it('counts from when the delivery began to arrive', async () => {
    let at = seconds * 1000;
    const { receiver } = noting({
      now: () => at,
      secret: async () => {
        at += 3_600_000;
        return secret;
      },
    });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
  });
});

describe('secrets', () => {
  it('asks a function for each delivery, whether it answers now or later', async () => {
    let current = 'first';
    const { receiver } = noting({ secret: async () => current });
    expect((await receiver.handle(signed([event('a')], { secret: 'first' }))).status).toBe(200);
    current = 'second';
    expect((await receiver.handle(signed([event('b')], { secret: 'first' }))).status).toBe(403);
    const now = noting({ secret: () => ['x', secret] });
    expect((await now.receiver.handle(signed([event('a')]))).status).toBe(200);
  });

  it.each([
    [''],
    [[]],
    [null],
    [['', secret]],
    [() => secret],
    [{ secret }],
    [{ secret, source: '' }],
    [{ secret: '', source: 'a' }],
  ])('answers 503 while the function gives %o, as whoever set it up has to be told', async (nothing) => {
    const { receiver, handled } = noting({ secret: () => nothing as never });
    const result = await receiver.handle(signed([event('a')]));
    expect(result).toMatchObject({
      status: 503,
      error: { code: 'ERR_WEBHOOK_SECRET', cause: { name: 'ConfigError' } },
    });
    expect(handled).toEqual([]);
  });

  it('says what is missing beside a secret that the function gives', async () => {
    const { receiver } = noting({ secret: () => ({ secret }) as never });
    expect((await receiver.handle(signed([event('a')]))).error?.cause).toMatchObject({
      message: '`source` must be a non-empty string beside the `secret` that a secret function returns, got undefined.',
    });
  });
});

describe('onError', () => {
  it('is told which item failed, and its own failure changes nothing', async () => {
    const seen: unknown[] = [];
    const receiver = createReceiver({
      secret,
      toleranceSeconds: false,
      onEvent: () => Promise.reject(new Error('no')),
      onError(error, { item, idempotencyKey }) {
        seen.push([error.code, item?.status, idempotencyKey]);
        throw new Error('the logger is broken');
      },
    });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(500);
    expect(seen).toEqual([['ERR_WEBHOOK_HANDLER', 'event', 'event.emitted:a']]);
  });
});
