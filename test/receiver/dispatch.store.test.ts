import { describe, expect, it, vi } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import { memoryStore, WebhookError } from '../../src/index.js';
import { event, noting, signed } from '../helpers.js';

const statuses = (result: { outcomes: readonly { status: string }[] }) => result.outcomes.map(({ status }) => status);

describe('a store of one’s own', () => {
  const failing = (once: IdempotencyStore['once']) => noting({ store: { once }, handlerTimeoutMs: 20 });

  it('gives its transaction to the handler', async () => {
    const seen: unknown[] = [];
    const store: IdempotencyStore<{ id: number }> = {
      async once(_key, run) {
        await run({ id: 7 });
        return 'handled';
      },
    };
    const { receiver } = noting({ store, onEvent: (_each, { tx }) => seen.push(tx.id) });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
    expect(seen).toEqual([7]);
  });

  it.each<[string, IdempotencyStore['once']]>([
    ['is down', () => Promise.reject(new Error('ECONNREFUSED'))],
    [
      'throws',
      () => {
        throw new Error('ECONNREFUSED');
      },
    ],
    ['hangs', () => new Promise(() => {})],
    ['says handled and has not run the handler', async () => 'handled'],
    [
      'says handled though the handler failed',
      async (_key, run) =>
        run(undefined).then(
          () => 'handled',
          () => 'handled',
        ),
    ],
    [
      'fails after the handler succeeded',
      async (_key, run) => run(undefined).then(() => Promise.reject(new Error('commit'))),
    ],
  ])('that %s never has the event acknowledged', async (how, once) => {
    const { receiver } = noting({
      store: { once },
      handlerTimeoutMs: 20,
      ...(how.includes('failed') ? { onEvent: () => Promise.reject(new Error('no')) } : {}),
    });
    const result = await receiver.handle(signed([event('a')]));
    expect(result).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE' } });
  });

  it('may say that somebody else is at it', async () => {
    const result = await failing(async () => 'in-progress').receiver.handle(signed([event('a')]));
    expect(result).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_IN_PROGRESS' } });
    expect(statuses(result)).toEqual(['in-progress']);
  });

  it('gives a handler nine tenths of its lease at most, so that no live handler is taken over from', async () => {
    vi.useFakeTimers();
    try {
      const store: IdempotencyStore = { leaseMs: 1000, once: (_key, run) => run(undefined).then(() => 'handled') };
      const { receiver } = noting({ store, onEvent: () => new Promise(() => {}) });
      let answered: { status: number } | undefined;
      const answering = receiver.handle(signed([event('a')])).then((result) => {
        answered = result;
      });
      await vi.advanceTimersByTimeAsync(899);
      expect(answered).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      await answering;
      expect(answered).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('may say itself what failed', async () => {
    const error = new WebhookError('ERR_WEBHOOK_STORE', 'The lease ran out.');
    const result = await failing(() => Promise.reject(error)).receiver.handle(signed([event('a')]));
    expect(result.status).toBe(503);
    expect(result.error).toBe(error);
  });

  it('is shared by receivers that are given the same', async () => {
    const store = memoryStore();
    const [one, two] = [noting({ store }), noting({ store })];
    await one.receiver.handle(signed([event('a')]));
    await two.receiver.handle(signed([event('a')]));
    expect([one.handled, two.handled]).toEqual([['a'], []]);
  });
});
