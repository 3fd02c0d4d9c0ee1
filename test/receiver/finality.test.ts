import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { finalityOf, type Verdicts } from '../../src/chain/finality/stage.js';
import type { Finality } from '../../src/handle/before.js';
import { createReceiver, type EventEntry, memoryStore, WebhookError } from '../../src/index.js';
import { deferred, event, noting, seconds, secret, signed } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { storeDoing } from './fake-bulk-store.js';
import { DROPPED, deciding, FINAL, MOOT, REMOVED, scripted, waiting } from './scripted-finality.js';

onSteadyClock();

const forms = [
  ['onEvent', {}],
  ['onEvents', { onEvents: true }],
] as const;

describe.each(forms)('finality with %s', (_form, form) => {
  it('handles the events whose block is final, once, and lets the others wait', async () => {
    const { finality, verdicts, asked } = scripted({ b: waiting(12_001), c: waiting(7000) });
    const { receiver, handled } = deciding(finality, form);
    const delivery = signed(['a', 'b', 'c'].map((id) => event(id)));
    const first = await receiver.handle(delivery);
    expect(first).toMatchObject({ status: 503, retryAfterSeconds: 13, error: { code: 'ERR_WEBHOOK_NOT_FINAL' } });
    expect(first.error?.message).toBe('The event waits until its block is known to be final.');
    expect(first.error).not.toHaveProperty('cause');
    expect(first.outcomes.map(({ status, retryAfterMs }) => [status, retryAfterMs])).toEqual([
      ['handled', undefined],
      ['not-final', 12_001],
      ['not-final', 7000],
    ]);
    expect(handled).toEqual(['a']);
    delete verdicts.b;
    delete verdicts.c;
    const second = await receiver.handle(delivery);
    expect(second.outcomes.map(({ status }) => status)).toEqual(['duplicate', 'handled', 'handled']);
    expect(second).toMatchObject({ status: 200, retryAfterSeconds: undefined });
    expect(handled).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  it('acknowledges an event whose block was replaced, and tells onDropped', async () => {
    const { receiver, handled, dropped } = deciding(scripted({ a: DROPPED }).finality, form);
    const result = await receiver.handle(signed([event('a'), event('b')]));
    expect(result).toMatchObject({ status: 200, outcomes: [{ status: 'dropped' }, { status: 'handled' }] });
    expect(dropped).toEqual([['a', 'a']]);
    expect(handled).toEqual(['b']);
  });

  it('handles a notice of removal only if its log took effect', async () => {
    const { finality } = scripted({ 'a:removed': REMOVED, 'b:removed': REMOVED, 'c:removed': MOOT });
    const { receiver, handled, dropped } = deciding(finality, form);
    await receiver.handle(signed([event('a'), event('c')]));
    const result = await receiver.handle(signed(['a:removed', 'b:removed', 'c:removed'].map((id) => event(id))));
    expect(result.status).toBe(200);
    expect(result.outcomes.map(({ status }) => status)).toEqual(['handled', 'dropped', 'dropped']);
    expect(handled).toEqual(['a', 'c', 'a:removed']);
    expect(dropped).toEqual([]);
  });

  it('asks for each event of a key: events of different blocks may share a key of your own', async () => {
    const { finality } = scripted({ 'x-1': DROPPED, 'x-3': waiting() });
    const handled: string[] = [];
    const receiver = createReceiver({
      secret,
      now: () => seconds * 1000,
      finality: finalityOf(finality),
      idempotencyKey: ({ id }) => id.slice(0, 1),
      ...('onEvents' in form
        ? { onEvents: (entries) => handled.push(...entries.map((each) => each.event.id)) }
        : { onEvent: ({ id }) => handled.push(id) }),
    });
    const result = await receiver.handle(signed(['x-1', 'x-2', 'x-2', 'x-3'].map((id) => event(id))));
    expect(result.outcomes.map(({ status }) => status)).toEqual(['dropped', 'handled', 'duplicate', 'not-final']);
    expect(handled).toEqual(['x-2']);
  });
});

describe('finality', () => {
  it('claims no key before it has answered', async () => {
    const [gate, asking] = [deferred(), deferred()];
    const store = memoryStore();
    const claim = vi.fn(store.claim);
    const finality: Verdicts = {
      wait: 'redelivery',
      async check(events) {
        asking.resolve();
        await gate.promise;
        return events.map(() => FINAL);
      },
    };
    const { receiver, handled } = deciding(finality, { store: { ...store, claim } });
    const handling = receiver.handle(signed([event('a')]));
    await asking.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(claim).not.toHaveBeenCalled();
    gate.resolve();
    expect((await handling).status).toBe(200);
    expect(claim).toHaveBeenCalledTimes(1);
    expect(handled).toEqual(['a']);
  });

  it('is not asked by a receiver with enqueue, nor for a delivery without events', async () => {
    const { finality, asked } = scripted({ a: waiting() });
    const stored: unknown[] = [];
    const receiver = createReceiver({
      secret,
      now: () => seconds * 1000,
      finality: finalityOf(finality),
      idempotencyKey: ({ id }) => id,
      enqueue: (entries, { needsFinality }) => stored.push(...entries.map(({ event }) => [event.id, needsFinality])),
    });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ outcomes: [{ status: 'stored' }] });
    // No worker without finality may handle it.
    expect(stored).toEqual([['a', true]]);
    await deciding(finality).receiver.handle(signed([]));
    expect(asked).toEqual([]);
  });

  const cause = new Error('no node answers');
  const ownTimeout = new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'of the check itself');
  it.each<[string, () => unknown, RegExp | Error | undefined]>([
    ['rejects', () => Promise.reject(cause), cause],
    [
      'throws',
      () => {
        throw cause;
      },
      cause,
    ],
    ['hangs', () => new Promise(() => {}), /^`finality` did not answer in time\.$/],
    ['rejects with another time-out', () => Promise.reject(ownTimeout), ownTimeout],
    ['answers too few verdicts', async () => [], /./],
    ['answers an unknown status', async () => [{ status: 'finalized' }], undefined],
    ['says why it does not know', async () => [{ status: 'pending', retryAfterMs: 100, error: cause }], cause],
  ])('lets events wait, with the cause, if it %s', async (_what, check, expected) => {
    const { receiver, handled, dropped, reported } = deciding({ wait: 'redelivery', check } as Verdicts, {
      handlerTimeoutMs: 30,
    });
    const { status, error, outcomes } = await receiver.handle(signed([event('a')]));
    expect(status).toBe(503);
    expect(outcomes).toMatchObject([{ status: 'not-final', error: { code: 'ERR_WEBHOOK_NOT_FINAL' } }]);
    if (expected instanceof Error) expect(error?.cause).toBe(expected);
    else
      expect(error?.cause).toEqual(expected && expect.objectContaining({ message: expect.stringMatching(expected) }));
    expect([handled, dropped, reported]).toEqual([[], [], ['ERR_WEBHOOK_NOT_FINAL']]);
  });

  it('lets events wait with the error of another copy of the library, too', async () => {
    const foreign = Object.assign(new Error('of another copy'), { code: 'ERR_WEBHOOK_NOT_FINAL', status: 503 });
    const finality: Finality = {
      before: async ([entry]) => new Map([[entry as EventEntry, { status: 'not-final', error: foreign as never }]]),
    };
    const { receiver } = noting({ finality, idempotencyKey: ({ id }) => id });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 503, retryAfterSeconds: 5 });
  });

  it('begins nothing that the host leaves no time for', async () => {
    const { finality, asked } = scripted();
    const { receiver } = deciding(finality);
    const result = await receiver.handle({ ...signed([event('a')]), remainingMs: () => 600 });
    expect(result.status).toBe(503);
    expect(result.error).toMatchObject({ code: 'ERR_WEBHOOK_NOT_FINAL', cause: { code: 'ERR_WEBHOOK_OUT_OF_TIME' } });
    expect(asked).toEqual([]);
  });

  it('fails an event whose onDropped fails, so that it is redelivered', async () => {
    const onDropped = () => Promise.reject(new Error('no'));
    const { receiver, reported } = deciding(scripted({ a: DROPPED }).finality, { onDropped });
    const result = await receiver.handle(signed([event('a'), event('b')]));
    expect(result).toMatchObject({ status: 500, outcomes: [{ status: 'failed' }, { status: 'handled' }] });
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
  });

  it('lets the events of a delivery wait whose onDropped hangs', async () => {
    const onDropped = () => new Promise(() => {});
    const { receiver } = deciding(scripted({ a: DROPPED }).finality, { onDropped, handlerTimeoutMs: 20 });
    const result = await receiver.handle(signed([event('a'), event('b')]));
    expect(result.outcomes.map(({ status }) => status)).toEqual(['not-final', 'not-final']);
  });
});

describe('a notice of removal', () => {
  const removing = scripted({ 'a:removed': REMOVED });

  it('waits while its log is being handled', async () => {
    const { receiver, handled } = deciding(removing.finality, { store: storeDoing(async () => 'in-progress') });
    const result = await receiver.handle(signed([event('a:removed')]));
    expect(result).toMatchObject({
      status: 503,
      retryAfterSeconds: 5,
      outcomes: [{ status: 'not-final', retryAfterMs: 5000 }],
    });
    expect(handled).toEqual([]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('away')), 'away'],
    ['never answers', () => new Promise(() => {}), 'did not answer in time'],
    ['answers something else', async () => 'perhaps', 'must resolve to'],
  ])('fails if the store %s, and is neither handled nor dropped', async (_what, once, reason) => {
    const { receiver, handled, reported } = deciding(removing.finality, {
      store: storeDoing(once),
      handlerTimeoutMs: 200,
    });
    const result = await receiver.handle(signed([event('a:removed')]));
    const error = { code: 'ERR_WEBHOOK_STORE', cause: { message: expect.stringContaining(reason) } };
    expect(result).toMatchObject({ status: 503, outcomes: [{ status: 'failed', error }] });
    expect([handled, reported]).toEqual([[], ['ERR_WEBHOOK_STORE']]);
  });

  it('fails if nobody knows whether its log took effect', async () => {
    const { receiver, handled } = deciding(removing.finality, { store: storeDoing(async () => 'unknown') });
    const result = await receiver.handle(signed([event('a:removed')]));
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' } });
    expect(result.error?.message).toContain('The effects of a may be incomplete');
    expect(handled).toEqual([]);
  });

  it('is answered before the host ends the delivery, although the store hangs', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { receiver, reported } = deciding(removing.finality, { store: storeDoing(() => new Promise(() => {})) });
    const end = Date.now() + 2000;
    const answering = receiver.handle({ ...signed([event('a:removed')]), remainingMs: () => end - Date.now() });
    await vi.advanceTimersByTimeAsync(1000);
    expect(reported).toEqual([]);
    await vi.advanceTimersByTimeAsync(900);
    expect(reported).toEqual(['ERR_WEBHOOK_STORE']);
    expect(await answering).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE' } });
  });

  it.each(['a', 'a:Removed', ':removed', 'removed', 'a:removed2'])(
    'fails with the key %j, which does not name its log',
    async (key) => {
      const { receiver, handled } = deciding(scripted({ [key]: REMOVED }).finality);
      const result = await receiver.handle(signed([event(key)]));
      expect(result).toMatchObject({ status: 500, outcomes: [{ status: 'failed' }] });
      expect(result.error).toMatchObject({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringContaining('logIdentity(event, { chainId })'),
      });
      expect(handled).toEqual([]);
    },
  );
});

describe('the options', () => {
  const finality: Finality = finalityOf(scripted().finality);
  const base = { secret, onEvent: () => {}, idempotencyKey: () => 'k', finality };
  const enqueueing = { ...base, onEvent: undefined, enqueue: () => {} };
  const nowhere = finalityOf({ check: scripted().finality.check });
  it.each<[string, object, RegExp]>([
    ['without idempotencyKey', { ...base, idempotencyKey: undefined }, /`idempotencyKey: \(event\) => logIdentity/],
    ['without idempotencyKey before a queue', { ...enqueueing, idempotencyKey: undefined }, /logIdentity/],
    ['without a store', { ...base, store: false }, /`store`/],
    ['without anywhere to wait', { ...base, finality: nowhere }, /`enqueue`.*`wait: 'redelivery'`/],
    ['that is not a Finality', { ...base, finality: 'finalized' }, /`finality` must be a Finality.*got a string/],
    ['that is null', { ...base, finality: null }, /`finality` must be a Finality.*got null/],
  ])('refuse a finality %s', (_what, options, message) => {
    expect(() => createReceiver(options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(message) }),
    );
  });
});
