import { describe, expect, it } from 'vitest';
import type { HostGrants } from '../../src/handle/deadline.js';
import type { WebhookError } from '../../src/index.js';
import { deferred, event, never, noting, type Settings, secret, signed } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { storeDoing } from './fake-bulk-store.js';

onSteadyClock();

const no = new Error('no');
const failing = () => Promise.reject(no);
const outOfTime =
  "The host's time limit is near, so the event was not begun and will be redelivered. If this repeats, raise the timeout of the function, make the handler faster, or hand off to a queue.";
const storeFailed = 'The store failed, so the event will be redelivered.';

/** The error that a delivery of one event is answered with. */
async function errorOf({ remainingMs, ...settings }: Settings & HostGrants): Promise<WebhookError | undefined> {
  const { receiver } = noting(settings);
  return (await receiver.handle({ ...signed([event('a')]), remainingMs })).error;
}

describe('the message of a delivery that fails', () => {
  it.each<[string, Settings & HostGrants, string, unknown?]>([
    ['a host that leaves no time', { remainingMs: () => 900 }, outOfTime],
    ['a handler', { onEvent: failing }, 'The handler failed, so the event will be redelivered.', no],
    ['a store', { store: storeDoing(failing) }, storeFailed, no],
    [
      'a store that hangs',
      { store: storeDoing(never), handlerTimeoutMs: 10 },
      storeFailed,
      new Error('The store did not answer in time.'),
    ],
    [
      'a store that answers something else',
      { store: storeDoing(() => 'done') },
      storeFailed,
      new Error(
        'The store must resolve to handled (after its run succeeded), duplicate (without a failed run), in-progress or unknown, for each key.',
      ),
    ],
    [
      'a key that somebody else has',
      { store: storeDoing(() => 'in-progress') },
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
      'The receiver failed, or a function in its options threw. See cause.',
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

  it.each([
    ['GET', {}, 405, 'Send deliveries with POST.'],
    [
      'POST',
      { 'content-encoding': 'gzip' },
      415,
      'The body is compressed. Have it sent uncompressed, as it was signed.',
    ],
  ])('says what is wrong with a request: %s %j', async (method, headers: Record<string, string>, status, message) => {
    const header = (name: string) => headers[name];
    const result = await noting().receiver.handleRequest({ method, header, rawBody: () => '[]' });
    expect(result).toMatchObject({ status, error: { message } });
  });
});
