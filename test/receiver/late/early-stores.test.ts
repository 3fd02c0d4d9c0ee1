import { tracingChannel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type IdempotencyStore, memoryStore } from '../../../src/index.js';
import { deferred, event, noting, signed } from '../../helpers.js';
import { onSteadyClock } from '../../steady-clock.js';
import { type RunAll, storeDoing } from '../fake-bulk-store.js';

onSteadyClock();

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const settled = () => new Promise(setImmediate);

/** Stores that settle before the run that they have begun. */
const early: [string, (run: RunAll) => unknown][] = [
  ['throws', (run) => begin(run, () => Promise.reject(new Error('slow')))],
  ['says handled', (run) => begin(run, () => 'handled')],
  ['says duplicate', (run) => begin(run, () => 'duplicate')],
  ['says in-progress', (run) => begin(run, () => 'in-progress')],
  ['is raced by a time-out', (run) => Promise.race([run(), pause(5).then(() => Promise.reject(new Error('slow')))])],
];

function begin(run: RunAll, answer: () => unknown): unknown {
  run().catch(() => {});
  return answer();
}

describe.each(early)('a store that %s before its run has ended', (_how, use) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is 503, and the handler keeps its place, its time and its signal', async () => {
    const end = deferred();
    const signals: AbortSignal[] = [];
    const { receiver, reported } = noting({
      store: storeDoing(use),
      handlerTimeoutMs: 30,
      maxInFlight: 1,
      onEvent(_event, { signal }) {
        signals.push(signal);
        return end.promise;
      },
    });
    const answer = receiver.handle(signed([event('a')]));
    await vi.advanceTimersByTimeAsync(5);
    expect((await answer).status).toBe(503);
    expect(await receiver.handle(signed([event('b')]))).toMatchObject({ error: { code: 'ERR_WEBHOOK_OVERLOADED' } });
    const draining = receiver.drain({ timeoutMs: 40 });
    await vi.advanceTimersByTimeAsync(40);
    expect(await draining).toEqual({ unfinished: 1 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    end.resolve();
    const drained = receiver.drain();
    await vi.advanceTimersByTimeAsync(100);
    expect(await drained).toEqual({ unfinished: 0 });
    expect(reported.filter((code) => code === 'ERR_WEBHOOK_STORE').length).toBeLessThanOrEqual(1);
  });
});

describe('a store that fails before its handler returns', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['later', () => pause(5), []],
    ['at once, while tracing awaits it', () => {}, []],
    [
      'later, with nothing, is reported once beside the failure and',
      () => pause(5).then(() => Promise.reject()),
      ['ERR_WEBHOOK_HANDLER'],
    ],
  ])('%s, is reported once', async (_when, onEvent, late) => {
    const { channel, stop } = subscribed();
    const store = storeDoing((run) => begin(run, () => Promise.reject(new Error('away'))));
    vi.useFakeTimers();
    const { receiver, reported } = noting({ store, handlerTimeoutMs: 20, onEvent });
    expect(channel.hasSubscribers).toBe(true);
    const { error } = await receiver.handle(signed([event('a')]));
    expect(error?.cause).toEqual(new Error('away'));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(reported).toEqual(['ERR_WEBHOOK_STORE', ...late]);
    stop();
    vi.useRealTimers();
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
  });
});

/** Has handlers traced. */
function subscribed() {
  const channel = tracingChannel('event-webhook-receiver:handler');
  const listeners = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} };
  channel.subscribe(listeners);
  return { channel, stop: () => channel.unsubscribe(listeners) };
}

describe('what a store may do to drain', () => {
  const draining = (unrecorded: () => unknown) => {
    const store = { ...memoryStore(), unrecorded } as IdempotencyStore;
    return noting({ store }).receiver.drain({ timeoutMs: 20 });
  };

  it('leaves timers their turn while a store lists what has settled', async () => {
    const kept = [Promise.resolve()];
    setTimeout(() => kept.splice(0), 5);
    expect(await draining(() => kept)).toEqual({ unfinished: 0 });
    const rejected = Promise.reject(new Error('no'));
    rejected.catch(() => {});
    expect(await draining(() => [rejected])).toEqual({ unfinished: 1 });
  });
});

describe('functions that should not be asynchronous', () => {
  it.each([async () => Date.now(), () => 5n, () => undefined])('now is answered 500', async (now) => {
    const { receiver, reported } = noting({ now: now as never, toleranceSeconds: 300 });
    expect((await receiver.handle({ ...signed([event('a')]), signature: 'a'.repeat(64) })).status).toBe(500);
    expect(reported).toEqual(['ERR_WEBHOOK_INTERNAL']);
    await settled();
  });
});
