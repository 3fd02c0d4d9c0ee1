import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TransactionalStore, WebhookError } from '../../src/index.js';
import { onSteadyClock } from '../steady-clock.js';
import { atOnce, delivery, statuses } from './at-once.js';
import { fakeBulkStore } from './fake-bulk-store.js';

onSteadyClock();

describe('onEvents that fails in a transaction', () => {
  const bad = (ids: string[]) => (ids.includes('bad') ? Promise.reject(new Error('no')) : undefined);

  it('gets halves of its events again, so that one of them does not hold up the others', async () => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const { receiver, calls, reported } = atOnce({ store }, bad);
    const result = await receiver.handle(delivery('a', 'bad', 'b'));
    expect(result.status).toBe(500);
    expect(statuses(result)).toEqual(['handled', 'failed', 'handled']);
    expect(calls).toEqual([['a', 'bad', 'b'], ['a', 'bad'], ['a'], ['bad'], ['b']]);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
  });

  it.each([1, 500, 1024])('finds event %i of 1 024 in at most 56 runs', async (at) => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const { receiver, calls } = atOnce({ store }, bad);
    const ids = Array.from({ length: 1024 }, (_, index) => (index + 1 === at ? 'bad' : String(index)));
    const result = await receiver.handle(delivery(...ids));
    expect(result.outcomes.filter(({ status }) => status === 'handled')).toHaveLength(1023);
    expect(result.outcomes[at - 1]).toMatchObject({ status: 'failed' });
    expect(calls.length).toBeLessThanOrEqual(56);
  });

  it('is not called for each event if all of them fail, and fails the rest with the first error', async () => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    let runs = 0;
    const { receiver } = atOnce({ store }, () => Promise.reject(new Error(`run ${++runs}`)));
    const result = await receiver.handle(delivery(...Array.from({ length: 5000 }, (_, index) => String(index))));
    expect(runs).toBeLessThanOrEqual(4 * Math.log2(5000) + 16);
    expect(result.outcomes.every(({ status }) => status === 'failed')).toBe(true);
    expect(result.outcomes.at(-1)?.error?.cause).toEqual(new Error('run 1'));
  });

  it('has one time limit for all of its runs', async () => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const slow = (ids: string[]) =>
      new Promise<void>((resolve, reject) =>
        setTimeout(ids.includes('bad') ? () => reject(new Error('no')) : resolve, 30),
      );
    const { receiver, calls } = atOnce({ store, handlerTimeoutMs: 100 }, slow);
    const result = await receiver.handle(delivery('bad', ...Array.from({ length: 63 }, (_, index) => String(index))));
    expect(result.status).toBe(500);
    expect(result.outcomes.at(-1)?.error?.cause).toEqual(new Error('no'));
    expect(calls.length).toBeLessThan(7);
  });

  it('does not get a lone event again', async () => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const { receiver, calls } = atOnce({ store }, bad);
    await receiver.handle(delivery('a', 'b'));
    expect(statuses(await receiver.handle(delivery('a', 'bad', 'b')))).toEqual(['duplicate', 'failed', 'duplicate']);
    expect(calls).toEqual([['a', 'b'], ['bad']]);
  });

  it('gets halves of its events again if the store refuses to commit what it wrote', async () => {
    let commits = 0;
    const commit = async () => {
      if (++commits < 3) throw new WebhookError('ERR_WEBHOOK_HANDLER', 'The condition of a write failed.');
    };
    const { store } = fakeBulkStore(undefined, { transactional: true, commit });
    const { receiver, calls, reported } = atOnce({ store });
    const result = await receiver.handle(delivery('a', 'b'));
    expect(result.status).toBe(500);
    expect(statuses(result)).toEqual(['failed', 'handled']);
    expect(calls).toEqual([['a', 'b'], ['a'], ['b']]);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
  });

  it('gets halves of its events again if the store fails because a statement failed', async () => {
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const conflict = (cause: unknown) => Promise.reject(new WebhookError('ERR_WEBHOOK_STORE', 'conflict', { cause }));
    const failing = store as TransactionalStore<undefined>;
    const once: typeof failing.once = (...call) => failing.once(...call).catch(conflict);
    const { receiver, calls, reported } = atOnce({ store: { once } }, bad);
    expect(statuses(await receiver.handle(delivery('a', 'bad')))).toEqual(['handled', 'failed']);
    expect(calls).toEqual([['a', 'bad'], ['a'], ['bad']]);
    expect(reported).toEqual(['ERR_WEBHOOK_STORE']);
  });

  it.each([
    ['its time is up', () => new Promise(() => {}), 'ERR_WEBHOOK_HANDLER_TIMEOUT', {}],
    ['the store fails', () => {}, 'ERR_WEBHOOK_STORE', { commit: () => Promise.reject(new Error('down')) }],
  ])('does not get its events again if %s', async (_, handle, code, settings) => {
    const { store } = fakeBulkStore(undefined, { transactional: true, ...settings });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { receiver, calls } = atOnce({ store, handlerTimeoutMs: 20 }, handle);
    const answer = receiver.handle(delivery('a', 'b'));
    await vi.advanceTimersByTimeAsync(20);
    const result = await answer;
    expect(result.outcomes.map(({ error }) => error?.code)).toEqual([code, code]);
    expect(calls).toHaveLength(1);
  });
});
