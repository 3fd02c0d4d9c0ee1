import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  createReceiver,
  InvalidBodyError,
  InvalidEventError,
  isWebhookError,
  RawBodyUnavailableError,
  signDelivery,
  WebhookError,
  type WebhookErrorCode,
} from '../src/index.js';
import { hostileValues, throwingProxy } from './fixtures/hostile.js';

const statuses: Record<WebhookErrorCode, number> = {
  ERR_WEBHOOK_CONFIG: 500,
  ERR_WEBHOOK_METHOD: 405,
  ERR_WEBHOOK_HEADER: 403,
  ERR_WEBHOOK_TIMESTAMP: 403,
  ERR_WEBHOOK_SIGNATURE: 403,
  ERR_WEBHOOK_CONTENT_ENCODING: 415,
  ERR_WEBHOOK_BODY_TOO_LARGE: 413,
  ERR_WEBHOOK_BODY_INCOMPLETE: 503,
  ERR_WEBHOOK_RAW_BODY_UNAVAILABLE: 500,
  ERR_WEBHOOK_INVALID_BODY: 400,
  ERR_WEBHOOK_INVALID_EVENT: 422,
  ERR_WEBHOOK_HANDLER: 500,
  ERR_WEBHOOK_HANDLER_TIMEOUT: 500,
  ERR_WEBHOOK_NON_RETRYABLE: 500,
  ERR_WEBHOOK_OUTCOME_UNKNOWN: 500,
  ERR_WEBHOOK_IN_PROGRESS: 503,
  ERR_WEBHOOK_NOT_FINAL: 503,
  ERR_WEBHOOK_STORE: 503,
  ERR_WEBHOOK_ENQUEUE: 503,
  ERR_WEBHOOK_SECRET: 503,
  ERR_WEBHOOK_OVERLOADED: 503,
  ERR_WEBHOOK_OUT_OF_TIME: 503,
  ERR_WEBHOOK_DRAINING: 503,
  ERR_WEBHOOK_INTERNAL: 500,
};

describe('WebhookError', () => {
  it('leads to the section of its code', () => {
    expect(new ConfigError('wrong').docs).toBe('event-webhook-receiver/docs/errors.md#err_webhook_config');
  });

  it.each(Object.entries(statuses))('%s is answered with %i', (code, status) => {
    const cause = new Error('why');
    const error = new WebhookError(code as WebhookErrorCode, 'what failed', { cause });
    expect(error).toMatchObject({ name: 'WebhookError', code, status, message: 'what failed', cause });
    expect(error).toBeInstanceOf(Error);
    expect(isWebhookError(error)).toBe(true);
  });

  it('takes codes that a subpath defines, and answers them with 500', () => {
    const error = new WebhookError('ERR_WEBHOOK_OF_A_SUBPATH', 'what failed');
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_OF_A_SUBPATH', status: 500 });
    expect(WebhookError.codeOf(error)).toBe('ERR_WEBHOOK_OF_A_SUBPATH');
  });

  it('has no cause unless it is given one', () => {
    expect('cause' in new WebhookError('ERR_WEBHOOK_INTERNAL', 'what failed')).toBe(false);
  });

  it.each([
    [new ConfigError('x'), 'ConfigError', 'ERR_WEBHOOK_CONFIG'],
    [new InvalidBodyError('x'), 'InvalidBodyError', 'ERR_WEBHOOK_INVALID_BODY'],
    [new InvalidEventError([]), 'InvalidEventError', 'ERR_WEBHOOK_INVALID_EVENT'],
    [new RawBodyUnavailableError('x'), 'RawBodyUnavailableError', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ] as const)('%s is named and coded after what it is', (error, name, code) => {
    expect(error).toBeInstanceOf(WebhookError);
    expect(error).toMatchObject({ name, code, status: statuses[code] });
    expect(String(error)).toMatch(new RegExp(`^${name}: `));
  });

  it.each([
    new InvalidBodyError('what failed'),
    new InvalidEventError([{ path: ['id'], message: 'expected a string' }]),
    new WebhookError('ERR_WEBHOOK_SIGNATURE', 'what failed'),
    new WebhookError('ERR_WEBHOOK_BODY_TOO_LARGE', 'what failed'),
  ])('$name records no stack for $code, which is about what was sent, and prints as any error', (error) => {
    expect(error.stack).toBe(`${error.name}: ${error.message}`);
    expect(Object.keys(error)).not.toContain('stack');
    expect(inspect(error)).toMatch(new RegExp(`^\\[${error.name}: .*${error.message.slice(-9)}\\] \\{`));
    expect(inspect(error)).toContain(`code: '${error.code}'`);
  });

  it('records a stack of what failed on your side', () => {
    expect(new ConfigError('x').stack).toContain('errors.test');
    expect(new WebhookError('ERR_WEBHOOK_HANDLER', 'x').stack).toContain('errors.test');
    expect(new WebhookError('ERR_WEBHOOK_STORE', 'x').stack).toContain('errors.test');
  });

  it('says how to get the raw body back', () => {
    const { message } = new RawBodyUnavailableError('Mount it first.');
    expect(message).toBe('The body was already read, so the signed bytes are gone. Mount it first.');
  });

  it('names the first three issues of an event and counts the rest', () => {
    const issue = (...path: (string | number)[]) => ({ path, message: 'expected a string' });
    expect(new InvalidEventError([issue()]).message).toBe('Not a valid event: event: expected a string');
    const issues = [issue('id'), issue('data', 'event', 'inputs', 0, 'name'), issue('a'), issue('b'), issue('c')];
    const error = new InvalidEventError(issues);
    expect(error.issues).toBe(issues);
    expect(error.message).toBe(
      'Not a valid event: id: expected a string; data.event.inputs.0.name: expected a string; a: expected a string (and 2 more)',
    );
    expect(new InvalidEventError(issues.slice(0, 3)).message).not.toContain('more');
    expect(error.count).toBe(1);
    expect(new InvalidEventError(issues.slice(0, 1), 7)).toMatchObject({
      count: 7,
      message: '7 items are not valid events: id: expected a string',
    });
  });
});

describe('isWebhookError', () => {
  it('knows an error of another copy of the library by its code', () => {
    const foreign = Object.assign(new Error('x'), { code: 'ERR_WEBHOOK_SIGNATURE', status: 403 });
    expect(foreign).not.toBeInstanceOf(WebhookError);
    expect(isWebhookError(foreign)).toBe(true);
  });

  it.each([
    ['an error', new Error('ERR_WEBHOOK_CONFIG')],
    ['an error of Node', Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['a code that is no text', { code: { startsWith: () => true } }],
    ['a code with something in front', { code: ' ERR_WEBHOOK_CONFIG' }],
    ['a code alone', 'ERR_WEBHOOK_CONFIG'],
    ['a function with a code', Object.assign(() => {}, { code: 'ERR_WEBHOOK_CONFIG' })],
  ])('refuses %s', (_, value) => {
    expect(isWebhookError(value)).toBe(false);
  });

  it('gives false for whatever was thrown, and never throws itself', () => {
    const thrown = () => {
      throw new Error('looked at');
    };
    const values = [
      ...hostileValues,
      ['a getter that throws', Object.defineProperty({}, 'code', { get: thrown })],
      ['a proxy that throws', throwingProxy({ code: 'ERR_WEBHOOK_CONFIG' })],
    ] as const;
    for (const [name, value] of values) {
      let answer: unknown;
      expect(() => {
        answer = isWebhookError(value);
      }, name).not.toThrow();
      expect(answer, name).toBe(false);
    }
  });
});

it('an error that only looks like one of the library is never answered 2xx', async () => {
  const now = () => {
    throw Object.assign(new Error('x'), { code: 'ERR_WEBHOOK_OF_ANOTHER_VERSION' });
  };
  const receiver = createReceiver({ secret: 'whsec-test', toleranceSeconds: 300, now, onEvent: () => {} });
  const { rawBody: body, signature, timestamp } = signDelivery('[]', { secret: 'another' });
  const result = await receiver.handle({ rawBody: body, signature, timestamp });
  expect(result.status).toBe(500);
});
