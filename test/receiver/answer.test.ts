import { describe, expect, it } from 'vitest';
import { answerHeaders, answerTo, asWebhookError, validStatus } from '../../src/handle/answer.js';
import { WebhookError } from '../../src/index.js';
import { throwingProxy } from '../fixtures/hostile.js';

describe('an answer', () => {
  it('is 200 without an error, and has no outcomes unless it is given some', () => {
    expect(answerTo(undefined)).toEqual({ status: 200, error: undefined, outcomes: [], retryAfterSeconds: undefined });
  });

  it.each<[string, Parameters<typeof answerHeaders>[0], string[][]]>([
    ['a 200', { status: 200, outcomes: [] }, []],
    ['a 405', { status: 405, outcomes: [] }, [['Allow', 'POST']]],
    ['a 503', { status: 503, outcomes: [], retryAfterSeconds: 5 }, [['Retry-After', '5']]],
    ['a 503 at once', { status: 503, outcomes: [], retryAfterSeconds: 0 }, [['Retry-After', '0']]],
    ['a draining receiver', { status: 200, outcomes: [], closeConnection: true }, [['Connection', 'close']]],
  ])('has the headers of %s', (_what, result, headers) => {
    expect(answerHeaders(result)).toEqual(headers);
  });

  it.each([
    [200, 200],
    [599, 599],
    [199, 500],
    [600, 500],
    [200.5, 500],
    [Number.NaN, 500],
    ['200', 500],
    [undefined, 500],
  ])('with the status %j is sent as %d', (status, sent) => {
    expect(validStatus(status)).toBe(sent);
  });
});

describe('the error that is reported', () => {
  it('is the error itself if this library made it', () => {
    const error = new WebhookError('ERR_WEBHOOK_STORE', 'down');
    expect(asWebhookError(error)).toBe(error);
  });

  it('has the code, the message and the cause of an error of another copy of the library', () => {
    const other = Object.assign(new Error('down'), { code: 'ERR_WEBHOOK_STORE' });
    const error = asWebhookError(other);
    expect(error).toBeInstanceOf(WebhookError);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_STORE', status: 503, message: 'down' });
    expect(error.cause).toBe(other);
  });

  const hostile = Object.defineProperty({ code: 'ERR_WEBHOOK_STORE' }, 'message', {
    get() {
      throw new Error('do not look');
    },
  });
  it.each([
    ['nothing', undefined],
    ['a plain error', new Error('no')],
    ['a proxy that throws', throwingProxy({})],
    ['an error whose message throws', hostile],
  ])('is an internal one with the cause for %s', (_what, cause) => {
    const error = asWebhookError(cause);
    expect([error.code, error.status, error.message]).toEqual([
      'ERR_WEBHOOK_INTERNAL',
      500,
      'The receiver failed, or a function in its options threw. See cause.',
    ]);
    expect(error.cause).toBe(cause);
  });
});
