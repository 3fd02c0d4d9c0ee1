import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type IdempotencyStore, memoryStore, NonRetryableError, type OnEvent } from '../../src/index.js';
import { deferred, event, noting, type Settings, throwing } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { delivery, keyOf, statuses } from './at-once.js';
import { failing, withLetters } from './failing.js';
import { storeDoing } from './fake-bulk-store.js';

onSteadyClock();

describe('an event whose handler fails for good', () => {
  it('becomes a dead letter at both limits, and is acknowledged', async () => {
    const { receiver, letters, reported, calls } = failing();
    const first = await receiver.handle(delivery('a', 'b', 'c'));
    expect([first.status, statuses(first)]).toEqual([500, ['handled', 'failed', 'handled']]);
    const second = await receiver.handle(delivery('a', 'b', 'c'));
    expect([second.status, statuses(second)]).toEqual([200, ['duplicate', 'dead-lettered', 'duplicate']]);
    const third = await receiver.handle(delivery('b'));
    expect([third.status, statuses(third)]).toEqual([200, ['duplicate']]);
    expect(calls).toEqual(['a', 'b', 'c', 'b']);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
    const letter = {
      idempotencyKey: keyOf('b'),
      event: event('b'),
      source: undefined,
      attempts: 2,
      firstFailedAt: expect.any(Number),
      lastFailedAt: expect.any(Number),
      code: 'E_ACCOUNT',
      message: 'No account for b.',
      isUnknown: false,
    };
    expect(letters).toEqual([letter]);
    expect(await receiver.deadLetters.list()).toEqual({ letters: [letter] });
    expect(await receiver.deadLetters.find(keyOf('b'))).toEqual(letter);
    expect(await receiver.deadLetters.find(keyOf('a'))).toBeUndefined();
    await expect(receiver.deadLetters.find(1 as never)).rejects.toThrow('`idempotencyKey` must be a string, got');
  });

  it('is kept as it was signed, whatever becomes of the event and the buffer, also when a retry fails', async () => {
    const { rawBody, ...signed } = delivery('b');
    const buffer = new TextEncoder().encode(rawBody as string);
    const onEvent: OnEvent = (event) => {
      Object.assign(event, { id: 'changed' });
      buffer
        .fill(32)
        .set(new TextEncoder().encode(JSON.stringify([{ id: 'b', event: 'event.emitted', data: 'forged' }])));
      throw new NonRetryableError('Changed.');
    };
    const { receiver } = failing({ onEvent, deadLetters: {} });
    expect(statuses(await receiver.handle({ rawBody: buffer, ...signed }))).toEqual(['dead-lettered']);
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 0, failed: 1, skipped: 0 });
    expect(await receiver.deadLetters.list()).toMatchObject({ letters: [{ attempts: 2, event: event('b') }] });
  });

  it('stays a failure until its time is over', async () => {
    const { receiver, letters } = failing({ deadLetters: { afterAttempts: 1, afterSeconds: 3600 } });
    for (let tries = 0; tries < 5; tries++) expect((await receiver.handle(delivery('b'))).status).toBe(500);
    expect(letters).toEqual([]);
  });

  it('becomes one at once when its handler throws a NonRetryableError', async () => {
    const cause = new Error('no such account');
    const onEvent = () => {
      throw new NonRetryableError('The account was closed.', { cause });
    };
    const { receiver, letters } = failing({ onEvent, deadLetters: {} });
    expect(statuses(await receiver.handle(delivery('b')))).toEqual(['dead-lettered']);
    expect(letters).toMatchObject([
      { attempts: 1, code: 'ERR_WEBHOOK_NON_RETRYABLE', message: 'The account was closed.' },
    ]);
  });

  it('fails for ever without the option, which the error names', async () => {
    const errors: string[] = [];
    const { receiver } = noting({
      onEvent: () => Promise.reject(new NonRetryableError('Closed.')),
      onError: (error) => errors.push(error.message),
    });
    for (let tries = 0; tries < 3; tries++) expect((await receiver.handle(delivery('b'))).status).toBe(500);
    expect(errors[0]).toMatch(/`deadLetters`/);
    expect((await receiver.deadLetters.list()).letters).toEqual([]);
  });

  it('is kept as it was received, whatever its handler has changed', async () => {
    const onEvent: OnEvent = (each) => {
      Object.assign(each, { id: 'other', data: undefined });
      throw new NonRetryableError('Bad.');
    };
    const { receiver, letters } = failing({ onEvent });
    await receiver.handle(delivery('a', 'b'));
    expect(letters.map((letter) => letter.event)).toEqual([event('a'), event('b')]);
    await receiver.handleEvents([event('c')]);
    expect(letters[2]?.event).toEqual(event('c'));
  });

  it('counts with its source', async () => {
    const { receiver, letters } = failing({
      secret: ({ header }) => ({ secret: 'whsec-test', source: header('x-source') ?? 'one' }),
    } as Settings);
    for (let tries = 0; tries < 2; tries++) await receiver.handle(delivery('b'));
    expect(letters).toMatchObject([{ source: 'one', idempotencyKey: `one::${keyOf('b')}` }]);
    expect((await receiver.deadLetters.list({ source: 'two' })).letters).toEqual([]);
    expect((await receiver.deadLetters.list({ source: 'one' })).letters).toHaveLength(1);
  });

  it.each<[string, IdempotencyStore]>([
    ['leases', memoryStore()],
    [
      'transactions, which fails to roll back',
      { ...storeDoing((run) => run().catch(throwing(new Error('away')))), letters: memoryStore().letters },
    ],
  ])('counts when its handler takes too long, once that has settled, in a store with %s', async (_, store) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const late = deferred();
    const { receiver, letters } = failing({
      store,
      onEvent: () => late.promise,
      handlerTimeoutMs: 20,
      deadLetters: { afterAttempts: 1, afterSeconds: 0 },
    });
    const answer = receiver.handle(delivery('b'));
    await vi.advanceTimersByTimeAsync(20);
    expect(statuses(await answer)).toEqual(['failed']);
    expect(letters).toEqual([]);
    late.reject(new Error('aborted'));
    await vi.advanceTimersByTimeAsync(0);
    expect(letters).toMatchObject([{ code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' }]);
  });

  it('counts runs that were killed, before it runs again', async () => {
    let time = Date.now();
    const store = memoryStore({ now: () => time });
    const { receiver, letters, calls } = failing({ store, bad: [] });
    for (let kills = 0; kills < 2; kills++) {
      await store.claim([keyOf('b')], crypto.randomUUID(), { from: 'free', to: 'done' });
      time += store.leaseMs + 1;
      if (kills === 0) {
        // Another event of the delivery is not held up.
        expect(await store.letters?.look([keyOf('b')])).toEqual(new Map());
        const { outcomes } = await failing({ store, bad: ['b'] }).receiver.handle(delivery('a', 'b'));
        expect(outcomes.map(({ status }) => status)).toEqual(['handled', 'dead-lettered']);
      }
    }
    expect(statuses(await receiver.handle(delivery('b')))).toEqual(['duplicate']);
    expect([letters, calls]).toEqual([[], []]);
  });

  it.each([
    ['a number', 7, '7'],
    ['nothing', undefined, 'The handler failed'],
    ['an object', {}, 'The handler failed'],
    ['a message of 2 000 characters', new Error('x'.repeat(2000)), 'xxx'],
    [
      'getters that throw',
      Object.defineProperties({}, { message: { get: () => BigInt('x') }, code: { get: () => BigInt('x') } }),
      'The handler failed',
    ],
    ['a circular cause', Object.assign(new Error('Round.'), { cause: undefined }), 'Round.'],
  ])('keeps what a handler threw: %s', async (_, thrown, message) => {
    if (thrown instanceof Error && thrown.message === 'Round.') thrown.cause = thrown;
    const onEvent = () => {
      throw thrown;
    };
    const { receiver, letters } = failing({ onEvent, deadLetters: { afterAttempts: 1, afterSeconds: 0 } });
    expect(statuses(await receiver.handle(delivery('b')))).toEqual(['dead-lettered']);
    expect(letters[0]?.message.startsWith(message)).toBe(true);
    expect(letters[0]?.message.length).toBeLessThanOrEqual(1000);
  });

  it('fails, and nothing is acknowledged, when the store cannot keep it', async () => {
    const { receiver, reported } = failing({ store: memoryStore({ maxLetters: 1 }), bad: ['a', 'b'] });
    await receiver.handle(delivery('a', 'b'));
    const result = await receiver.handle(delivery('a', 'b'));
    expect([result.status, statuses(result)]).toEqual([500, ['dead-lettered', 'failed']]);
    expect(reported).toContain('ERR_WEBHOOK_STORE');
  });

  it('fails when the store cannot count, which is reported with the event, or when another run has taken it over', async () => {
    const cause = new TypeError('no connection');
    const onError = vi.fn();
    const broken = failing({ store: withLetters(() => ({ fail: () => Promise.reject(cause) })), onError });
    expect((await broken.receiver.handle(delivery('b'))).status).toBe(500);
    const message = 'The store did not count a failure of the handler, so the event makes no dead letter yet.';
    const [error, context] = onError.mock.calls[0] ?? [];
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_STORE', message, cause });
    expect(context).toMatchObject({ idempotencyKey: keyOf('b'), item: { event: event('b') } });
    expect(onError.mock.calls.map(([{ code }]) => code)).toEqual(['ERR_WEBHOOK_STORE', 'ERR_WEBHOOK_HANDLER']);
    const taken = failing({ store: withLetters(() => ({ fail: async () => undefined })) });
    expect((await taken.receiver.handle(delivery('b'))).status).toBe(500);
    expect(taken.reported).toEqual(['ERR_WEBHOOK_HANDLER']);
  });

  it('calls for onEvents one event at a time after they failed together, so that only the bad one counts', async () => {
    const calls: string[][] = [];
    const { receiver } = noting({
      onEvents: (entries) => {
        calls.push(entries.map((entry) => entry.event.id));
        if (entries.some((entry) => entry.event.id === 'b')) throw new NonRetryableError('Bad.');
      },
      deadLetters: {},
    });
    const result = await receiver.handle(delivery('a', 'b', 'c'));
    expect([result.status, statuses(result)]).toEqual([200, ['handled', 'dead-lettered', 'handled']]);
    expect(calls).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('is logged in one line, and a failing onDeadLetter changes nothing', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const onDeadLetter = () => Promise.reject(new Error('no mail'));
    const { receiver } = failing({ logger, onDeadLetter, deadLetters: { afterAttempts: 1, afterSeconds: 0 } });
    expect((await receiver.handle(delivery('b'))).status).toBe(200);
    const lines = logger.error.mock.calls.filter(([, message]) => message === 'Dead letter.');
    expect(lines).toEqual([
      [
        { idempotencyKey: keyOf('b'), source: undefined, attempts: 1, code: 'E_ACCOUNT', reason: 'No account for b.' },
        'Dead letter.',
      ],
    ]);
  });
});
