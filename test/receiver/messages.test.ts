import { describe, expect, it } from 'vitest';
import { ConfigError, createReceiver, type WebhookError } from '../../src/index.js';
import { deferred, event, noting, type Settings, secret, signed } from '../helpers.js';
import { DROPPED, deciding, REMOVED, scripted, waiting } from './scripted-finality.js';

// Whole messages: they are what an operator has to go by.

const no = new Error('no');
const failing = () => Promise.reject(no);
const never = () => new Promise<never>(() => {});
const outOfTime =
  "The host's time limit is near, so the event was not begun and will be redelivered. If this repeats, raise the timeout of the function, make the handler faster, or hand off to a queue.";
const storeFailed = 'The store failed, so the event will be redelivered.';

/** The error that a delivery of one event is answered with. */
async function errorOf(settings: Settings, delivery: object = {}): Promise<WebhookError | undefined> {
  const { receiver } = noting(settings);
  return (await receiver.handle({ ...signed([event('a')]), ...delivery })).error;
}

describe('the message of a delivery that fails', () => {
  it.each<[string, Settings, string, unknown?]>([
    ['a handler', { onEvent: failing }, 'The handler failed, so the event will be redelivered.', no],
    [
      'a handler that hangs',
      { onEvent: never, handlerTimeoutMs: 10 },
      'The handler took longer than 10 ms (handlerTimeoutMs, at most 0.9 of leaseMs), so its signal was aborted.',
      undefined,
    ],
    ['a store', { store: { once: failing } }, storeFailed, no],
    [
      'a store that hangs',
      { store: { once: never }, handlerTimeoutMs: 10 },
      storeFailed,
      new Error('The store did not answer in time.'),
    ],
    [
      'a store that answers something else',
      { store: { once: async () => 'done' as never } },
      storeFailed,
      new Error(
        'The store must resolve to handled (after its one run succeeded), duplicate (without a failed run), in-progress or unknown, for each key.',
      ),
    ],
    [
      'a store whose transaction is over when the handler returns',
      {
        store: { once: (_key, run) => run(undefined, { onReturn: () => {} }).then(() => 'handled') },
        onEvent: async () => {},
      },
      'The handler failed, so the event will be redelivered.',
      new TypeError(
        "The store's transaction ends when the handler returns, so the handler must be synchronous. Use a store with an asynchronous driver for one that is not.",
      ),
    ],
    [
      'a frozen process',
      { store: { once: (_key, run) => run(undefined, { remainingMs: () => 1 }).then(() => 'handled') } },
      'The lease may end before the handler: the process was frozen. The event will be redelivered.',
      undefined,
    ],
    [
      'a key that somebody else has',
      { store: { once: async () => 'in-progress' } },
      'The event is being handled elsewhere. Send the delivery again later.',
      undefined,
    ],
    ['a queue', { enqueue: failing }, '`enqueue` failed, so the delivery will be sent again.', no],
    [
      'a clock that fails',
      {
        now: () => {
          throw no;
        },
      },
      'The function `now` failed.',
      no,
    ],
    ['a clock that gives no number', { now: () => '1' as never }, '`now` must return a number of milliseconds.'],
    [
      'a secret that is not found',
      { secret: () => undefined },
      'The secret function returned no secret for this request. Check the key that it looks up: a header or the URL.',
      undefined,
    ],
    [
      'a secret function',
      { secret: failing },
      'The secret function failed or returned something that is not a secret. See cause.',
      no,
    ],
    [
      'a secret function that names no source',
      { secret: () => ({ secret, source: '' }) },
      'The secret function failed or returned something that is not a secret. See cause.',
      new ConfigError(
        '`source` must be a non-empty string beside the `secret` that a secret function returns, got an empty string.',
      ),
    ],
    [
      'a secret function that hangs',
      { secret: never, receiveTimeoutMs: 10 },
      'The secret function failed or returned something that is not a secret. See cause.',
      new Error('The look-up took longer than 10 ms (receiveTimeoutMs).'),
    ],
    [
      'a body that is too large',
      { maxBodyBytes: 9 },
      'The body is larger than 9 bytes. Raise maxBodyBytes if the sender is yours.',
      undefined,
    ],
  ])('says what failed: %s', async (_what, settings, message, cause) => {
    const error = await errorOf(settings);
    expect(error?.message).toBe(message);
    expect(error?.cause).toEqual(cause);
  });

  it('says that the host leaves no time', async () => {
    expect((await errorOf({}, { remainingMs: () => 900 }))?.message).toBe(outOfTime);
    expect((await errorOf({ enqueue: () => {} }, { remainingMs: () => 900 }))?.message).toBe(outOfTime);
    const { receiver } = noting({ onUnknown: () => {} });
    const late = { ...signed([{ id: 'x', event: 'new' }]), remainingMs: () => 900 };
    expect((await receiver.handle(late)).error?.message).toBe(outOfTime);
  });

  it('says which option refused too much at once', async () => {
    const gate = deferred();
    const { receiver } = noting({ onEvent: () => gate.promise, maxInFlight: 1 });
    const first = receiver.handle(signed([event('a')]));
    const second = await receiver.handle(signed([event('b')]));
    expect(second.error?.message).toBe('1 deliveries are in flight: raise maxInFlight or add replicas.');
    const drained = receiver.drain();
    const third = await receiver.handle(signed([event('b')]));
    expect(third.error?.message).toBe('The receiver is draining. Send the delivery again later.');
    gate.resolve();
    await Promise.all([first, drained]);
  });

  it('says that too many secrets are looked up, and how to have fewer', async () => {
    const gate = deferred<string>();
    const { receiver } = noting({
      secret: () => gate.promise,
      maxLookUps: 2,
      maxBodyBytes: 10_000,
      maxArrivingBytes: 10_000,
    });
    const begun = Array.from({ length: 2 }, () => receiver.handle(signed([event('a')])));
    const code = 'ERR_WEBHOOK_OVERLOADED';
    const cache = 'If the secret function is slow, cache its results.';
    expect(await receiver.handle(signed([]))).toMatchObject({
      status: 503,
      error: { code, message: `Too many secret look-ups are under way (maxLookUps: 2). ${cache}` },
    });
    expect(await receiver.handle(signed([' '.repeat(9000)]))).toMatchObject({
      status: 503,
      error: {
        code,
        message: `Secret look-ups and this delivery need more than 10000 bytes (maxArrivingBytes). ${cache}`,
      },
    });
    gate.resolve(secret);
    await Promise.all(begun);
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
  });

  it('says what finality waits for', async () => {
    const { receiver } = deciding(scripted({ a: waiting() }).finality);
    const { error } = await receiver.handle(signed([event('a')]));
    expect(error?.message).toBe('The event waits until its block is known to be final.');
    expect(error).not.toHaveProperty('cause');
    const unsure = deciding({ wait: 'redelivery', check: never }, { handlerTimeoutMs: 10 });
    const late = await unsure.receiver.handle(signed([event('a')]));
    expect(late.error?.cause).toEqual(new Error('`finality` took longer than 10 ms.'));
    const silent = deciding({ wait: 'redelivery', check: async () => [] });
    const empty = await silent.receiver.handle(signed([event('a')]));
    expect(empty.error?.cause).toEqual(new TypeError('`finality.check` must resolve to a verdict for each event.'));
    const keyless = deciding(scripted({ a: REMOVED }).finality);
    expect((await keyless.receiver.handle(signed([event('a')]))).error?.message).toBe(
      'The idempotency key of a removed log must be that of the log and `:removed`. Set `idempotencyKey: (event) => logIdentity(event, { chainId })`.',
    );
    const failed = deciding(scripted({ a: DROPPED }).finality, { onDropped: failing });
    expect((await failed.receiver.handle(signed([event('a')]))).error?.message).toBe(
      'The handler failed, so the event will be redelivered.',
    );
  });

  it('says what is wrong with a request', async () => {
    const { receiver } = noting();
    const request = (method: string, headers: Record<string, string> = {}) =>
      receiver.handleRequest({ method, header: (name) => headers[name], rawBody: () => '[]' });
    expect(await request('GET')).toMatchObject({
      status: 405,
      error: { code: 'ERR_WEBHOOK_METHOD', message: 'Send deliveries with POST.' },
    });
    expect((await request('POST', { 'content-encoding': 'gzip' })).error?.message).toBe(
      'The body is compressed. Have it sent uncompressed, as it was signed.',
    );
  });

  it.each([
    ['enqueue', { enqueue: () => {} }],
    ['store: false', { store: false }],
  ] as const)('says why a receiver with %s cannot peek', async (what, settings) => {
    await expect(noting(settings).receiver.peek([])).rejects.toThrow(
      `\`peek\` needs the receiver's store, which a receiver with \`${what}\` does not use.`,
    );
  });
});

describe('the message of options that cannot be', () => {
  const onEvent = () => {};
  const { finality } = scripted();
  const identity = '`idempotencyKey: (event) => logIdentity(event, { chainId })`';
  const base = { secret: 's', onEvent, finality, idempotencyKey: () => 'k' };
  it.each<[object, string]>([
    [{ secret: 's' }, 'Set one of `onEvent`, `onEvents` and `enqueue`, got none.'],
    [{ secret: 's', onEvent, enqueue: onEvent }, 'Set one of `onEvent`, `onEvents` and `enqueue`, got 2.'],
    [
      { secret: '', onEvent },
      '`secret` must be a non-empty string, an array of them, or a function, got an empty string. Is the environment variable set?',
    ],
    [
      { secret: 's', onEvent, toleranceSeconds: '300' },
      '`toleranceSeconds` must be a number of seconds, or false for any timestamp, got a string.',
    ],
    [
      { secret: 's', onEvent, maxBodyBytes: 2, maxArrivingBytes: 1 },
      '`maxArrivingBytes` must be at least `maxBodyBytes`, or a body of that size cannot arrive.',
    ],
    [
      { secret: 's', onEvent, headers: { signature: 'a b', timestamp: 'c' } },
      '`headers.signature` must be the name of an HTTP header, as in `serviceHeaders`, got a string.',
    ],
    [
      { secret: 's', onEvent, headers: { signature: 'X', timestamp: 'x' } },
      '`headers.signature` and `headers.timestamp` must name two different headers.',
    ],
    [
      { secret: 's', onEvent, logger: null },
      '`logger` must be an object with the functions debug, info, warn and error, got null.',
    ],
    [
      { ...base, idempotencyKey: undefined },
      `\`finality\` needs ${identity}: a block that is put back arrives again under other event ids.`,
    ],
    [{ ...base, store: false }, '`finality` needs a `store`, got false.'],
    [
      { ...base, finality: { check: onEvent } },
      "`finality` needs a queue for events that wait: set `enqueue`, and `finality` on the queue's worker. Or set `wait: 'redelivery'` on the finality, if you know how long the sender retries (503).",
    ],
    [
      { ...base, finality: { check: onEvent, wait: 'ever' } },
      "`finality.wait` must be 'redelivery' or undefined, got a string.",
    ],
    [{ ...base, finality: 1 }, '`finality` must be a Finality, such as the result of chainFinality, got a number.'],
    [{ ...base, finality: { ...finality, isFinal: 1 } }, '`finality.isFinal` must be a function, got a number.'],
    [{ ...base, onDropped: 1 }, '`onDropped` must be a function, got a number.'],
    [
      { ...base, finality: undefined, onDropped: onEvent },
      '`onDropped` must be undefined without `finality`, got a function.',
    ],
    [
      { ...base, onEvent: undefined, enqueue: onEvent, onDropped: onEvent },
      '`onDropped` must be undefined beside `enqueue`, whose worker takes it, got a function.',
    ],
  ])('of case %# says what is wrong', (options, message) => {
    expect(() => createReceiver(options as never)).toThrow(expect.objectContaining({ name: 'ConfigError', message }));
  });
});
