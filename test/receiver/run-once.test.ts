import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import { deferred, event, noting, signed } from '../helpers.js';

describe('what a store does to an event', () => {
  it('is never acknowledged when it failed, whatever status the error calls for', async () => {
    for (const [code, status] of [
      ['ERR_WEBHOOK_STORE', 429],
      ['ERR_WEBHOOK_STORE', 200],
      ['ERR_WEBHOOK_HANDLER_TIMEOUT', 504],
    ] as const) {
      const failure = Object.assign(new Error('odd'), { code, status });
      const store = { once: () => Promise.reject(failure) };
      const { receiver, handled } = noting({ store });
      const result = await receiver.handle(signed([event('a')]));
      expect(result.status).toBeGreaterThanOrEqual(400);
      expect(handled).toEqual([]);
    }
  });

  it('runs nothing any more once the event was given up', async () => {
    const rejections: unknown[] = [];
    const store: IdempotencyStore = {
      async once(_, run) {
        await sleep(60);
        await run(undefined).catch((error: unknown) => rejections.push(error));
        return 'handled';
      },
    };
    const { receiver, handled } = noting({ store, handlerTimeoutMs: 10 });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 503 });
    await receiver.drain();
    await sleep(100);
    expect(handled).toEqual([]);
    expect(rejections).toHaveLength(1);
  });

  it('takes the longest handlerTimeoutMs there is for what it is', async () => {
    const { receiver } = noting({ handlerTimeoutMs: 2 ** 31 - 1, onEvent: () => sleep(20) });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 200 });
  });
});

describe('a function that passes for a promise', () => {
  it('is waited for when a handler returns it', async () => {
    const fail = (_: unknown, reject: (error: Error) => void) => reject(new Error('late'));
    // biome-ignore lint/suspicious/noThenProperty: it passes for a promise
    const returned = Object.assign(() => {}, { then: fail });
    const { receiver } = noting({ onEvent: () => returned as never });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({
      status: 500,
      error: { cause: { message: 'late' } },
    });
    const { receiver: other } = noting({ enqueue: () => returned });
    expect(await other.handle(signed([event('a')]))).toMatchObject({
      status: 503,
      error: { cause: { message: 'late' } },
    });
  });
});

describe('a store after a handler that succeeded', () => {
  it('has the event answered 503 if it never says that it recorded the key', async () => {
    const store: IdempotencyStore = {
      async once(_, run) {
        await run(undefined);
        return new Promise(() => {});
      },
    };
    const { receiver } = noting({ store, handlerTimeoutMs: 10, onEvent: () => sleep(1) });
    const result = await receiver.handle(signed([event('a')]));
    expect(result).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE' } });
    expect(await receiver.drain({ timeoutMs: 10 })).toEqual({ unfinished: 1 });
  });

  it('is waited for by drain if the handler was late', async () => {
    const [handling, recording] = [deferred(), deferred()];
    const store: IdempotencyStore = {
      async once(_, run) {
        await run(undefined);
        await recording.promise;
        return 'handled';
      },
    };
    const { receiver } = noting({ store, handlerTimeoutMs: 10, onEvent: () => handling.promise });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(500);
    handling.resolve();
    expect(await receiver.drain({ timeoutMs: 10 })).toEqual({ unfinished: 1 });
    recording.resolve();
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
  });

  it('has its failure reported if the event was answered before', async () => {
    const store: IdempotencyStore = {
      async once(_, run) {
        await run(undefined);
        throw new Error('down');
      },
    };
    const { receiver, reported } = noting({ store, handlerTimeoutMs: 10, onEvent: () => sleep(40) });
    const { error } = await receiver.handle(signed([event('a')]));
    expect(error?.code).toBe('ERR_WEBHOOK_HANDLER_TIMEOUT');
    await receiver.drain();
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER_TIMEOUT', 'ERR_WEBHOOK_STORE']);
  });
});
