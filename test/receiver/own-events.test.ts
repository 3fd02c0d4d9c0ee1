import { describe, expect, it, vi } from 'vitest';
import { createReceiver, type LeaseStore, memoryStore, parseEvent, type WebhookEvent } from '../../src/index.js';
import { nothing } from '../contracts/store-helpers.js';
import { event, noting, seconds, secret, signed, throwing } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { type RunAll, storeDoing } from './fake-bulk-store.js';

onSteadyClock();

const parsed = (id: string): WebhookEvent => parseEvent(event(id));

describe('idempotencyKey', () => {
  it('returns the key without its source', () => {
    expect(noting().receiver.idempotencyKey(parsed('a'))).toBe('event.emitted:a');
    expect(noting({ idempotencyKey: ({ id }) => `own:${id}` }).receiver.idempotencyKey(parsed('a'))).toBe('own:a');
  });
});

describe('rememberedSince', () => {
  it('asks the store', () => {
    const store = { ...memoryStore(), rememberedSince: () => 42 };
    expect(noting({ store }).receiver.rememberedSince()).toBe(42);
    expect(noting().receiver.rememberedSince()).toBeGreaterThan(Date.now() - 5000);
  });

  it('looks at how long the queue keeps jobs', () => {
    const enqueue = Object.assign(nothing, { retentionMs: 60_000 });
    const since = Number(noting({ enqueue }).receiver.rememberedSince());
    expect(Math.abs(since - (Date.now() - 60_000))).toBeLessThan(5000);
  });

  it.each([
    ['without a store', { store: false }],
    ['with a store that cannot tell', { store: storeDoing(() => 'handled') }],
    [
      'with a store that answers something else',
      { store: { ...memoryStore(), rememberedSince: () => 'ever' as never } },
    ],
    ['with an enqueue that does not say', { enqueue: async () => {} }],
  ] as const)('is undefined %s', (_what, options) => {
    expect(noting(options).receiver.rememberedSince()).toBeUndefined();
  });
});

describe('handleEvents', () => {
  it('handles events like a delivery, and what a delivery brought is a duplicate', async () => {
    const { receiver, handled } = noting();
    await receiver.handle(signed([event('a')]));
    const result = await receiver.handleEvents([parsed('a'), parsed('b')]);
    expect(result).toMatchObject({ status: 200, outcomes: [{ status: 'duplicate' }, { status: 'handled' }] });
    expect(handled).toEqual(['a', 'b']);
    expect(await receiver.handle(signed([event('b')]))).toMatchObject({ outcomes: [{ status: 'duplicate' }] });
  });

  it('handles events within their source, under the keys of its deliveries, and calls no secret function', async () => {
    let lookUps = 0;
    const seen: unknown[] = [];
    const receiver = createReceiver({
      secret: () => {
        lookUps++;
        return { secret, source: 'a' };
      },
      toleranceSeconds: false,
      onEvent: (_, { source, idempotencyKey, via }) => seen.push([source, idempotencyKey, via]),
    });
    await receiver.handle(signed([event('1')]));
    const options = { source: 'a', via: 'backfill' };
    const result = await receiver.handleEvents([parsed('1'), parsed('2')], options);
    expect(result).toMatchObject({ status: 200, outcomes: [{ status: 'duplicate' }, { status: 'handled' }] });
    expect(await receiver.handleEvents([parsed('1')], { source: 'b' })).toMatchObject({ status: 200 });
    expect(seen).toEqual([
      ['a', 'a::event.emitted:1', 'webhook'],
      ['a', 'a::event.emitted:2', 'backfill'],
      ['b', 'b::event.emitted:1', undefined],
    ]);
    expect(lookUps).toBe(1);
    expect(await receiver.peek([parsed('2')], options)).toEqual(['handled']);
    expect(await receiver.peek([parsed('2')], { source: 'b' })).toEqual(['missing']);
  });

  it('asks for the source where a secret function may return one', async () => {
    const { receiver, handled, reported } = noting({ secret: () => secret });
    const refused = { status: 500, outcomes: [], error: { code: 'ERR_WEBHOOK_CONFIG' } };
    expect(await receiver.handleEvents([parsed('a')])).toMatchObject(refused);
    await expect(receiver.peek([parsed('a')])).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining('`source: false`'),
    });
    expect(reported).toEqual(['ERR_WEBHOOK_CONFIG']);
    await receiver.handle(signed([event('a')]));
    expect(await receiver.handleEvents([parsed('a')], { source: false })).toMatchObject({
      outcomes: [{ status: 'duplicate' }],
    });
    expect(handled).toEqual(['a']);
  });

  it.each([[''], [null], [7]])('refuses the source %j', async (source) => {
    const options = { source: source as never };
    expect(await noting().receiver.handleEvents([parsed('a')], options)).toMatchObject({ status: 500, outcomes: [] });
    await expect(noting().receiver.peek([parsed('a')], options)).rejects.toThrow(
      '`source` must be a non-empty string, or false,',
    );
  });

  it('tells `enqueue` how the events came, and when', async () => {
    const seen: unknown[] = [];
    const { receiver } = noting({ enqueue: (_, { source, via, timestamp }) => seen.push([source, via, timestamp]) });
    await receiver.handle(signed([event('a')]));
    vi.setSystemTime(7_999);
    await receiver.handleEvents([parsed('b')], { source: 's', via: 'reconcile' });
    expect(seen).toEqual([
      [undefined, 'webhook', String(seconds)],
      ['s', 'reconcile', '7'],
    ]);
  });

  it('is refused as soon as the receiver drains', async () => {
    const { receiver } = noting();
    const drained = receiver.drain();
    expect(await receiver.handleEvents([parsed('a')])).toMatchObject({ status: 503 });
    await drained;
    expect(await receiver.handleEvents([parsed('a')])).toMatchObject({ status: 503 });
  });

  it('is not limited by what strangers may send, nor by the clock', async () => {
    const { receiver } = noting({
      maxBodyBytes: 100,
      maxEvents: 1,
      maxArriving: 1,
      toleranceSeconds: 0,
      now: () => Number.NaN,
    });
    expect(await receiver.handleEvents([parsed('a'), parsed('b')])).toMatchObject({ status: 200 });
  });

  it('never rejects, and reports what went wrong', async () => {
    const circular: unknown[] = [];
    circular.push(circular);
    const { receiver, reported } = noting();
    expect(await receiver.handleEvents(circular as never)).toMatchObject({ status: 500, outcomes: [] });
    const error = { message: '`events` must be an array of events, got undefined.' };
    expect(await receiver.handleEvents(undefined as never)).toMatchObject({ status: 500, error, outcomes: [] });
    expect(reported).toHaveLength(2);
  });
});

describe('peek', () => {
  it('says what took effect, what is missing and what is in progress, and handles nothing', async () => {
    const inner = memoryStore();
    const store: LeaseStore = {
      ...inner,
      claim: async (keys, ...call) =>
        keys.some((key) => key.endsWith(':held'))
          ? new Map(keys.map((key) => [key, 'in-progress']))
          : inner.claim(keys, ...call),
    };
    const { receiver, handled } = noting({ store });
    await receiver.handleEvents([parsed('done')]);
    const events = ['done', 'new', 'held', 'other'].map(parsed);
    expect(await receiver.peek(events)).toEqual(['handled', 'missing', 'in-progress', 'missing']);
    expect(await receiver.peek(events)).toEqual(['handled', 'missing', 'in-progress', 'missing']);
    expect(handled).toEqual(['done']);
    expect(await receiver.handleEvents([parsed('new')])).toMatchObject({ outcomes: [{ status: 'handled' }] });
  });

  it('says the same of an event that occurs twice', async () => {
    const { receiver } = noting();
    await receiver.handleEvents([parsed('done')]);
    const events = ['new', 'done', 'new', 'done'].map(parsed);
    expect(await receiver.peek(events)).toEqual(['missing', 'handled', 'missing', 'handled']);
  });

  it.each([
    ['enqueue', { enqueue: nothing }],
    ['store: false', { store: false }],
  ] as const)('is refused with %s', async (name, options) => {
    await expect(noting(options).receiver.peek([])).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining(name),
    });
  });

  it.each<[string, (run: RunAll) => unknown]>([
    ['rejects', () => Promise.reject(new Error('away'))],
    ['throws', throwing(new Error('away'))],
    ['never answers', () => new Promise(nothing)],
    ['says handled without a run', async () => 'handled'],
    ['answers something else', async () => 'yes'],
    ['says handled after a failed run', (run: RunAll) => run().catch(() => 'handled')],
    ['says duplicate after a failed run', (run: RunAll) => run().catch(() => 'duplicate')],
  ])('rejects with ERR_WEBHOOK_STORE when the store %s', async (_what, use) => {
    const { receiver } = noting({ store: storeDoing(use), handlerTimeoutMs: 20 });
    await expect(receiver.peek([parsed('a')])).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
  });

  it('takes a key for missing if the store gave it to the run, whatever the store makes of its failure', async () => {
    const failed = vi.fn(() => Promise.reject(new Error('rolled back')));
    const store = storeDoing((run) => run().then(() => 'handled', failed));
    expect(await noting({ store }).receiver.peek([parsed('a')])).toEqual(['missing']);
    expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('This run only asks whether the key took effect.'));
  });
});
