import { describe, expect, it } from 'vitest';
import {
  createReceiver,
  type LeaseStore,
  memoryStore,
  parseEvent,
  type SecretRequest,
  type WebhookEvent,
} from '../../src/index.js';
import { nothing } from '../contracts/store-helpers.js';
import { event, noting, secret, signed } from '../helpers.js';
import { type RunAll, storeDoing } from './fake-bulk-store.js';

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

  it('calls a secret function with the request, and handles the events within its source', async () => {
    const sources: unknown[] = [];
    const receiver = createReceiver({
      secret: ({ url }) => (url === '/a' ? { secret, source: 'a' } : undefined),
      onEvent: (_, { source, idempotencyKey }) => sources.push([source, idempotencyKey]),
    });
    const request: SecretRequest = { header: () => undefined, url: '/a' };
    expect(await receiver.handleEvents([parsed('1')], { request })).toMatchObject({ status: 200 });
    expect(sources).toEqual([['a', 'a::event.emitted:1']]);
    expect(await receiver.peek([parsed('1')], { request })).toEqual(['handled']);
    expect(await receiver.handleEvents([parsed('2')])).toMatchObject({
      status: 403,
      error: { code: 'ERR_WEBHOOK_SIGNATURE' },
    });
  });

  it('looks up once, also while strangers hold all places and bytes of look-ups', async () => {
    let lookUps = 0;
    const delivery = signed([event('b')]);
    const { receiver, handled } = noting({
      maxLookUps: 1,
      maxBodyBytes: 10_000,
      maxArrivingBytes: 10_000,
      secret: async ({ header }) => {
        lookUps++;
        return header('x') === undefined ? new Promise<string>(() => {}) : secret;
      },
    });
    const request: SecretRequest = { header: () => 'own' };
    void receiver.handle({ ...signed([' '.repeat(9000)]), signature: '0'.repeat(64) });
    expect(await receiver.handle({ ...delivery, request })).toMatchObject({ status: 503 });
    expect(lookUps).toBe(1);
    expect(await receiver.handleEvents([parsed('a')], { request })).toMatchObject({ status: 200 });
    expect(lookUps).toBe(2);
    expect(await receiver.peek([parsed('a')], { request })).toEqual(['handled']);
    expect(handled).toEqual(['a']);
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
    expect(await receiver.handleEvents(undefined as never)).toMatchObject({ status: 500, outcomes: [] });
    const failing = noting({ secret: () => Promise.reject(new Error('vault away')) });
    expect(await failing.receiver.handleEvents([parsed('a')])).toMatchObject({ status: 503 });
    expect(reported).toHaveLength(2);
    expect(failing.reported).toEqual(['ERR_WEBHOOK_SECRET']);
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
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
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
    const store = storeDoing((run) =>
      run().then(
        () => 'handled',
        () => Promise.reject(new Error('rolled back')),
      ),
    );
    expect(await noting({ store }).receiver.peek([parsed('a')])).toEqual(['missing']);
  });
});
