import { describe, expect, it, vi } from 'vitest';
import { letterText, readLetter, reasonOf } from '../../src/handle/dead-letter.js';
import { isNonRetryable } from '../../src/handle/non-retryable.js';
import { handlerError } from '../../src/handle/outcome.js';
import { NonRetryableError, WebhookError } from '../../src/index.js';
import { event, throwing } from '../helpers.js';

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('Hands off.');
    },
  },
);

/** Has its code once only. */
const fickle = Object.defineProperty({}, 'code', {
  get: vi.fn(throwing(new Error('Hands off.'))).mockReturnValueOnce('ERR_WEBHOOK_NON_RETRYABLE' as never),
});

describe('the text of a dead letter', () => {
  it('is read as it was written', () => {
    const letter = letterText('key', event('a'), 'acme');
    expect(readLetter({ letter }, 'key')).toMatchObject({
      idempotencyKey: 'key',
      source: 'acme',
      item: { event: event('a') },
    });
  });

  it.each([
    ['no JSON', '{'],
    ['nothing', 'null'],
    ['no event', '{"idempotencyKey":"key"}'],
    ['no key', JSON.stringify({ event: event('a') })],
    ['a number as its key', JSON.stringify({ idempotencyKey: 1, event: event('a') })],
    ['an event that is none', '{"idempotencyKey":"key","event":{"id":"a"}}'],
    ['an event of an unknown kind', '{"idempotencyKey":"key","event":{"id":"a","event":"event.other","data":{}}}'],
  ])('with %s is refused, without its text', (_title, letter) => {
    const message = 'The event of k cannot be read. Discard the dead letter.';
    expect(() => readLetter({ letter }, 'k')).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_STORE', message }));
  });
});

describe('the reason of a dead letter', () => {
  const own = { code: 'ERR_WEBHOOK_HANDLER', message: 'The handler failed, so the event will be redelivered.' };

  it.each<[string, unknown, object]>([
    [
      'an error with a code',
      Object.assign(new Error('No account.'), { code: 'E_ACCOUNT' }),
      { code: 'E_ACCOUNT', message: 'No account.' },
    ],
    ['a text', 'No account.', { code: own.code, message: 'No account.' }],
    ['a whole number', 12n, { code: own.code, message: '12' }],
    ['codes that are numbers', { code: 12n, message: 7 }, { code: '12', message: '7' }],
    ['an empty code and message', { code: '', message: '' }, own],
    ['nothing', undefined, own],
    ['null', null, own],
    ['an object without either', {}, own],
    ['an object that throws', hostile, own],
    [
      'a long text',
      { code: 'c'.repeat(101), message: 'm'.repeat(1001) },
      { code: 'c'.repeat(100), message: 'm'.repeat(1000) },
    ],
  ])('is that of what the handler threw: %s', (_title, thrown, reason) => {
    expect(reasonOf(handlerError(thrown))).toEqual(reason);
  });

  it('is that of the receiver where the handler threw nothing', () => {
    const cause = new Error('the deadline');
    const late = new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'Too late.', { cause });
    expect(reasonOf(late)).toEqual({ code: 'ERR_WEBHOOK_HANDLER_TIMEOUT', message: 'Too late.' });
  });
});

describe('a NonRetryableError', () => {
  it('is told from every other value, and is itself by its name', () => {
    const others = [
      undefined,
      null,
      {},
      new Error('no'),
      new WebhookError('ERR_WEBHOOK_STORE', 'down'),
      hostile,
      fickle,
    ];
    expect(others.map(isNonRetryable)).toEqual(others.map(() => false));
    const error = new NonRetryableError('Closed.');
    expect([isNonRetryable(error), error.name]).toEqual([true, 'NonRetryableError']);
  });
});
