import { describe, expect, it, vi } from 'vitest';
import { memoryStore, NonRetryableError } from '../../src/index.js';
import { leasedStore } from '../../src/stores/leased.js';
import { noting, type Settings } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { delivery, keyOf, statuses } from './at-once.js';
import { failing, withLetters } from './failing.js';

onSteadyClock();

describe('dead letters of a receiver', () => {
  const keyInAcme = (id: string) => `acme::${keyOf(id)}`;

  async function withTwo(settings: Settings = {}) {
    const all = failing({ bad: ['a', 'b'], deadLetters: { afterAttempts: 1, afterSeconds: 0 }, ...settings });
    await all.receiver.handle(delivery('a', 'b', 'c'));
    return all;
  }

  it('are retried like a delivery, and forgotten with the effect', async () => {
    const fail = vi.fn();
    const store = withLetters((letters) => ({
      fail(key, failure) {
        fail(failure);
        return letters.fail(key, failure);
      },
    }));
    const { receiver, left, calls, letters } = await withTwo({
      store,
      secret: () => ({ secret: 'whsec-test', source: 'acme' }),
    });
    left.delete('a');
    const results: unknown[] = [];
    const counts = await receiver.deadLetters.retry({}, { onResult: (result) => results.push(result) });
    expect(counts).toEqual({ handled: 1, failed: 1, skipped: 0 });
    expect(results).toMatchObject([
      { idempotencyKey: keyInAcme('a'), status: 'handled' },
      { idempotencyKey: keyInAcme('b'), status: 'failed', error: { code: 'ERR_WEBHOOK_HANDLER' } },
    ]);
    expect(calls).toEqual(['a', 'b', 'c', 'a', 'b']);
    expect((await receiver.deadLetters.list()).letters).toMatchObject([
      { attempts: 2, idempotencyKey: keyInAcme('b') },
    ]);
    // A retry that fails makes no further letter, and leaves the record of the delivery.
    expect(letters).toHaveLength(2);
    expect(fail.mock.calls.map(([{ source, kind }]) => [source, kind])).toEqual([
      ['acme', 'event.emitted'],
      ['acme', 'event.emitted'],
      ['acme', undefined],
    ]);
    expect(statuses(await receiver.handle(delivery('a', 'b')))).toEqual(['duplicate', 'duplicate']);
  });

  it('are retried by their keys, also when idempotencyKey has changed since', async () => {
    const store = memoryStore();
    const { receiver } = await withTwo({ store });
    const seen: unknown[] = [];
    const other = noting({
      store,
      idempotencyKey: ({ id }) => `new:${id}`,
      onEvent: (each, { idempotencyKey, via, timestamp }) => seen.push([each.id, idempotencyKey, via, timestamp]),
    });
    vi.setSystemTime(7_999);
    const keys = [keyOf('b'), keyOf('c'), keyOf('none')];
    expect(await other.receiver.deadLetters.retry(keys)).toEqual({ handled: 1, failed: 0, skipped: 2 });
    expect(seen).toEqual([['b', keyOf('b'), 'retry', '7']]);
    expect((await receiver.deadLetters.list()).letters).toHaveLength(1);
    for (const which of [undefined, null, keyOf('a')])
      await expect(receiver.deadLetters.retry(which as never)).rejects.toThrow(
        '`which` must be an array of idempotency keys, or a filter, got',
      );
  });

  it('are skipped while another retry handles them, and after it did', async () => {
    const within: unknown[] = [];
    const { receiver } = await withTwo({
      async onEvent({ id }, { via }) {
        if (via !== 'retry') throw new NonRetryableError('Bad.');
        if (id === 'a') within.push(await receiver.deadLetters.retry([keyOf('a'), keyOf('b')]));
      },
    });
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 2, failed: 0, skipped: 1 });
    expect(within).toEqual([{ handled: 1, failed: 0, skipped: 1 }]);
  });

  it('are read a page at a time, so that a retry of many takes no more memory', async () => {
    let tried = 0;
    const pages: number[] = [];
    const store = withLetters((letters) => ({
      list(page) {
        pages.push(tried);
        expect(page.limit).toBeLessThanOrEqual(100);
        return letters.list(page);
      },
    }));
    const fails = { now: true };
    const { receiver } = noting({
      store,
      deadLetters: {},
      onEvent: () => {
        if (fails.now) throw new NonRetryableError('Bad.');
        tried++;
      },
    });
    await receiver.handle(delivery(...Array.from({ length: 250 }, (_, at) => String(at))));
    fails.now = false;
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 250, failed: 0, skipped: 0 });
    expect(pages).toEqual([0, 100, 200]);
  });

  it('are listed in pages', async () => {
    const { receiver } = await withTwo();
    const first = await receiver.deadLetters.list({ limit: 1 });
    const second = await receiver.deadLetters.list({ limit: 1, cursor: first.cursor });
    expect([...first.letters, ...second.letters].map((letter) => letter.event.id)).toEqual(['a', 'b']);
    await expect(receiver.deadLetters.list({ limit: 0 })).rejects.toThrow('limit');
  });

  it('are not retried by a receiver that drains', async () => {
    const { receiver, calls } = await withTwo();
    await receiver.drain();
    await expect(receiver.deadLetters.retry({})).rejects.toMatchObject({ code: 'ERR_WEBHOOK_DRAINING' });
    expect(calls).toEqual(['a', 'b', 'c']);
  });

  it('that cannot be read are an error of the store', async () => {
    const store = withLetters((letters) => ({
      fail: (key, failure) => letters.fail(key, { ...failure, letter: '{"idempotencyKey":"b","event":{' }),
    }));
    const { receiver } = await withTwo({ store });
    const message = expect.stringContaining(`${keyOf('a')} cannot be read`);
    await expect(receiver.deadLetters.list()).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE', message });
    expect(await receiver.deadLetters.discard([keyOf('a'), keyOf('b')])).toHaveLength(2);
    expect(await receiver.deadLetters.list()).toEqual({ letters: [] });
  });

  it('need a store that keeps them', async () => {
    const store = leasedStore({ claim: async () => 'claimed', record: async () => true, release: async () => {} });
    expect(() => failing({ store })).toThrow(/`deadLetters` needs a store/);
    expect(() => failing({ store: false })).toThrow(/`deadLetters` needs a store/);
    expect(() => noting({ enqueue: () => {}, deadLetters: {} })).toThrow(/the queue keeps/);
    expect(() => noting({ onDeadLetter: () => {} })).toThrow(/needs the option `deadLetters`/);
    expect(() => failing({ deadLetters: { afterAttempts: 0 } })).toThrow('deadLetters.afterAttempts');
    expect(() => failing({ deadLetters: { afterSeconds: -1 } })).toThrow('deadLetters.afterSeconds');
    expect(() => failing({ deadLetters: { afterSecond: 1 } as object })).toThrow('afterSecond');
    for (const settings of [{ store }, { enqueue: () => {} }])
      await expect(noting(settings).receiver.deadLetters.list()).rejects.toThrow('keeps dead letters');
  });
});
