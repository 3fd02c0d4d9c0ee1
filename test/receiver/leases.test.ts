import { describe, expect, it, vi } from 'vitest';
import { type EventsContext, type LeaseStore, memoryStore } from '../../src/index.js';
import type { ClaimAnswer, Step } from '../../src/stores/store.js';
import { noting, seconds } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { atOnce, delivery, keyOf, statuses } from './at-once.js';

onSteadyClock();

/** A lease store that gives these answers, by event id. */
function answering(claims: Record<string, ClaimAnswer | null>, isRecorded: (key: string) => boolean = () => true) {
  const steps: Step[] = [];
  const store: LeaseStore = {
    leaseMs: 60_000,
    async claim(keys, _owner, step) {
      steps.push(step);
      const answers = keys.map((key) => claims[key.slice(keyOf('').length)]);
      return new Map(keys.map((key, at) => [key, (answers[at] === undefined ? {} : answers[at]) as ClaimAnswer]));
    },
    record: async (keys) => new Map(keys.map((key) => [key, isRecorded(key)])),
    release: async () => {},
  };
  return { store, steps };
}

describe('a receiver over a lease store', () => {
  it('reports a run that another has taken over, also if it was so for one key', async () => {
    const { store } = answering({}, (key) => key !== keyOf('b'));
    const { receiver } = atOnce({ store });
    const { status, error } = await receiver.handle(delivery('a', 'b'));
    expect([status, error?.code]).toEqual([503, 'ERR_WEBHOOK_STORE']);
    expect(error?.message).toMatch(/Another run has taken over the key.* longer than its lease of 60000 ms/);
  });

  it('runs nothing for a claim that its store answers with null', async () => {
    const { receiver, calls } = atOnce({ store: answering({ b: null }).store });
    expect(await receiver.handle(delivery('a', 'b'))).toMatchObject({
      status: 503,
      error: { code: 'ERR_WEBHOOK_STORE' },
    });
    expect(calls).toEqual([['a']]);
  });

  it('gives its handler the least of the fencing tokens, and none of a store without them', async () => {
    const contexts: EventsContext[] = [];
    const onEvents = (_: unknown, context: EventsContext) => void contexts.push(context);
    const { store } = answering({ a: { token: 5n }, b: {}, c: { token: 3n }, d: { token: 7n } });
    await noting({ store, onEvents }).receiver.handle(delivery('a', 'b', 'c', 'd'));
    await noting({ store: answering({}).store, onEvents }).receiver.handle(delivery('a'));
    expect(contexts.map(({ fencingToken }) => fencingToken)).toEqual([3n, undefined]);
    expect(contexts.map((context) => 'idempotencyKey' in context)).toEqual([false, false]);
  });

  it('has it keep when the delivery was signed, in milliseconds, and no log of an event without one', async () => {
    const { store, steps } = answering({});
    await noting({ store }).receiver.handle(delivery('a'));
    expect(steps[0]?.records?.get(keyOf('a'))).toMatchObject({ eventId: 'a', receivedAt: 1000 * seconds });
    const reorgs = { logOf: () => undefined, follow: () => ({ before: async () => new Map(), hint() {} }) };
    const withLogs = { ...store, logs: memoryStore().logs };
    await noting({ store: withLogs, reorgs, onReverted() {} } as never).receiver.handle(delivery('a'));
    expect(steps[1]).toMatchObject({ to: 'applied', logs: new Map() });
  });

  it('looks soon at the block of each duplicate, and of no other event', async () => {
    const hint = vi.fn();
    const reorgs = { logOf: () => undefined, follow: () => ({ before: async () => new Map(), hint }) };
    const { receiver } = noting({ store: memoryStore(), reorgs, onReverted() {} } as never);
    await receiver.handle(delivery('a'));
    expect(hint).not.toHaveBeenCalled();
    await receiver.handle(delivery('a', 'b'));
    expect(hint.mock.calls.map(([event]) => event.id)).toEqual(['a']);
  });
});

describe('an event whose earlier run never ended', () => {
  /** A store in which another process has claimed `b`, and died. */
  async function afterDeath() {
    let time = 1_000_000;
    const store = memoryStore({ leaseMs: 60_000, now: () => time });
    await store.claim([keyOf('b')], 'dead', { from: 'free', to: 'done' });
    time += 60_001;
    return store;
  }

  it('counts as a failure, apart from the others of its delivery', async () => {
    const onDeadLetter = vi.fn();
    const deadLetters = { afterAttempts: 1, afterSeconds: 0 };
    const { receiver, calls } = atOnce({ store: await afterDeath(), deadLetters, onDeadLetter });
    const result = await receiver.handle(delivery('a', 'b', 'c'));
    expect([result.status, statuses(result), calls]).toEqual([
      200,
      ['handled', 'dead-lettered', 'handled'],
      [['a', 'c']],
    ]);
    const message = 'An earlier run did not end: its process was killed, or frozen for longer than its lease.';
    expect(onDeadLetter).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ idempotencyKey: keyOf('b'), message }),
    );
  });

  it('is handled without the option `deadLetters`', async () => {
    const { receiver, calls } = atOnce({ store: await afterDeath() });
    expect(statuses(await receiver.handle(delivery('b')))).toEqual(['handled']);
    expect(calls).toEqual([['b']]);
  });
});
