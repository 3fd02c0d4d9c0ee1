import { describe, expect, it, vi } from 'vitest';
import {
  createReceiver,
  createRouter,
  type EventEntry,
  type IdempotencyStore,
  memoryStore,
  WebhookError,
  type WebhookEvent,
} from '../../src/index.js';
import { deferred, event, noting, seconds, secret, signed } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { atOnce, delivery, keyOf, statuses } from './at-once.js';
import { fakeBulkStore } from './fake-bulk-store.js';

onSteadyClock();

describe('onEvents', () => {
  it('gets all events of a delivery in one call, in order, with their keys', async () => {
    const calls: (readonly EventEntry[])[] = [];
    const { receiver } = noting({ onEvents: (entries) => calls.push(entries) });
    const result = await receiver.handle(delivery('b', 'c', 'a'));
    expect(result.status).toBe(200);
    expect(statuses(result)).toEqual(['handled', 'handled', 'handled']);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toEqual(['b', 'c', 'a'].map((id) => ({ event: event(id), idempotencyKey: keyOf(id) })));
    expect(result.outcomes.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['b', 'c', 'a'].map(keyOf));
  });

  it.each([2, 2.7])('gets as many events at once as the store takes: %d', async (keysPerRun) => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const { receiver, calls } = atOnce({ store: { ...store, keysPerRun } as never });
    await receiver.handle(delivery('b'));
    const result = await receiver.handle(delivery('a', 'b', 'c', 'd', 'e'));
    expect(result.status).toBe(200);
    expect(result.outcomes.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['a', 'b', 'c', 'd', 'e'].map(keyOf));
    expect(statuses(result)).toEqual(['handled', 'duplicate', 'handled', 'handled', 'handled']);
    expect(calls).toEqual([['b'], ['a'], ['c', 'd'], ['e']]);
  });

  it('reports what a route of a router skipped for each event of the call, if it spreads the context', async () => {
    const skipped = new WebhookError('ERR_WEBHOOK_INVALID_EVENT', 'It does not decode.');
    const router = createRouter().on(
      { kind: 'event.emitted', select: (_, report) => report?.(skipped) as undefined },
      () => {},
    );
    const reports: unknown[] = [];
    const { receiver } = noting({
      onEvents: ([first], context) => {
        if (first) router.dispatch(first.event, { ...context, idempotencyKey: first.idempotencyKey });
      },
      onError: (error, { item, idempotencyKey }) => reports.push([error, item?.status, idempotencyKey]),
    });
    expect((await receiver.handle(delivery('a', 'b'))).status).toBe(200);
    expect(reports).toEqual(['a', 'b'].map((id) => [skipped, 'event', keyOf(id)]));
  });

  it('gets a context without a key, which it may spread', async () => {
    const contexts: object[] = [];
    const store: IdempotencyStore<{ id: number }> = fakeBulkStore(
      { id: 7 },
      { transactional: true, fencingToken: 3n },
    ).store;
    const receiver = createReceiver({
      secret: () => ({ secret, source: 'acme' }),
      now: () => seconds * 1000,
      store,
      onEvents: (_, context) => contexts.push({ ...context }),
    });
    expect((await receiver.handle(delivery('a', 'b'))).status).toBe(200);
    expect(contexts).toEqual([
      {
        source: 'acme',
        timestamp: String(seconds),
        via: 'webhook',
        tx: { id: 7 },
        fencingToken: 3n,
        signal: expect.any(AbortSignal),
        deadline: expect.any(Number),
        throwIfExpired: expect.any(Function),
        [Symbol.for('event-webhook-receiver.report')]: expect.any(Function),
      },
    ]);
  });

  it('gets only what has not taken effect, and is not called without', async () => {
    const { receiver, calls } = atOnce();
    await receiver.handle(delivery('a', 'c'));
    const result = await receiver.handle(delivery('a', 'b', 'c', 'd'));
    expect(statuses(result)).toEqual(['duplicate', 'handled', 'duplicate', 'handled']);
    expect(statuses(await receiver.handle(delivery('d', 'a')))).toEqual(['duplicate', 'duplicate']);
    await receiver.handle(signed([]));
    await receiver.handle(signed([{ id: 'x', event: 'another.kind', data: {} }]));
    expect(calls).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ]);
  });

  it.each([memoryStore(), false as const])('gets a repeated key once', async (store) => {
    const { receiver, calls } = atOnce({ store });
    const result = await receiver.handle(delivery('a', 'b', 'a'));
    expect(statuses(result)).toEqual(['handled', 'handled', 'duplicate']);
    expect(calls).toEqual([['a', 'b']]);
  });

  it('leaves unknown and invalid items to their hooks, and fails a key that cannot be made', async () => {
    const taken: string[] = [];
    const idempotencyKey = vi.fn(({ id }: WebhookEvent) => (id === 'bad' ? '' : id));
    const { receiver, calls } = atOnce({ onUnknown: () => taken.push('unknown'), idempotencyKey });
    const invalid = { ...event('x'), data: null };
    const result = await receiver.handle(signed([{ id: 'k', event: 'new.kind' }, event('bad'), invalid, event('a')]));
    expect(statuses(result)).toEqual(['unknown', 'failed', 'invalid', 'handled']);
    expect(result.status).toBe(500);
    expect(calls).toEqual([['a']]);
    expect(idempotencyKey).toHaveBeenCalledTimes(2);
    expect(taken).toEqual(['unknown']);
  });

  it('lets the rest take effect when some keys are held elsewhere', async () => {
    const bulk = fakeBulkStore(undefined);
    bulk.keys.set(keyOf('b'), 'held');
    const { receiver, calls } = atOnce({ store: bulk.store });
    const result = await receiver.handle(delivery('a', 'b', 'c'));
    expect(result).toMatchObject({ status: 503, retryAfterSeconds: 5, error: { code: 'ERR_WEBHOOK_IN_PROGRESS' } });
    expect(statuses(result)).toEqual(['handled', 'in-progress', 'handled']);
    bulk.keys.delete(keyOf('b'));
    expect(statuses(await receiver.handle(delivery('a', 'b', 'c')))).toEqual(['duplicate', 'handled', 'duplicate']);
    expect(calls).toEqual([['a', 'c'], ['b']]);
  });

  it('fails them all with a lease store, which frees their keys', async () => {
    let fails = true;
    const { receiver, calls, reported } = atOnce({}, () => (fails ? Promise.reject(new Error('no')) : undefined));
    const result = await receiver.handle(delivery('a', 'b'));
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect(statuses(result)).toEqual(['failed', 'failed']);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER', 'ERR_WEBHOOK_HANDLER']);
    fails = false;
    expect((await receiver.handle(delivery('a', 'b'))).status).toBe(200);
    expect(calls).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });
});

it('onEvents that fails with a lease store fails none of its duplicates', async () => {
  let fails = false;
  const { receiver, reported } = atOnce({}, () => (fails ? Promise.reject(new Error('no')) : undefined));
  await receiver.handle(delivery('a'));
  fails = true;
  expect(statuses(await receiver.handle(delivery('a', 'b')))).toEqual(['duplicate', 'failed']);
  expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
});

describe('onEvents that takes too long', () => {
  it('reports each event whose key could not be recorded afterwards', async () => {
    const end = deferred();
    const { store } = fakeBulkStore(undefined, { commit: () => Promise.reject(new Error('down')) });
    const reports: unknown[] = [];
    const receiver = createReceiver({
      secret,
      now: () => seconds * 1000,
      store,
      handlerTimeoutMs: 20,
      onEvents: () => end.promise,
      onError: ({ code }, { idempotencyKey }) => reports.push([code, idempotencyKey]),
    });
    await receiver.handle(delivery('a', 'b'));
    reports.length = 0;
    end.resolve();
    await receiver.drain();
    expect(reports).toEqual(['a', 'b'].map((id) => ['ERR_WEBHOOK_STORE', keyOf(id)]));
  });
});
