import { describe, expect, it } from 'vitest';
import type { Enqueue } from '../../src/index.js';
import { event, noting, seconds, signed, throwing } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';

onSteadyClock();

const unknown = { id: 'new', event: 'block.finalised', data: { any: 1 } };
const bad = { id: 'bad', event: 'event.emitted', data: {} };
const statuses = (result: { outcomes: readonly { status: string }[] }) => result.outcomes.map(({ status }) => status);

describe('enqueue', () => {
  it('is given the valid events of a delivery, each key once, with the keys beside them', async () => {
    const given: unknown[] = [];
    const enqueue: Enqueue = (entries, context) => {
      given.push([entries.map(({ event }) => event.id), entries.map((each) => each.idempotencyKey), context.timestamp]);
      expect(context).not.toHaveProperty('needsFinality');
    };
    const { receiver } = noting({ enqueue, onInvalid: () => {} });
    const result = await receiver.handle(signed([event('a'), bad, event('b'), event('a'), unknown]));
    expect(given).toEqual([[['a', 'b'], ['event.emitted:a', 'event.emitted:b'], String(seconds)]]);
    expect(result.status).toBe(200);
    expect(statuses(result)).toEqual(['stored', 'invalid', 'stored', 'duplicate', 'unknown']);
  });

  it.each([
    ['throws', throwing(new Error('queue is down'))],
    ['rejects', () => Promise.reject(new Error('queue is down'))],
    ['hangs', () => new Promise(() => {})],
  ])('that %s gives 503: nothing is acknowledged that is not stored', async (_how, enqueue) => {
    const { receiver } = noting({ enqueue, handlerTimeoutMs: 20 });
    const result = await receiver.handle(signed([event('a'), event('b')]));
    expect(result).toMatchObject({ status: 503, retryAfterSeconds: 5, error: { code: 'ERR_WEBHOOK_ENQUEUE' } });
    expect(statuses(result)).toEqual(['failed', 'failed']);
  });

  it('is not called when there is nothing to store, and invalid items keep their policy', async () => {
    let calls = 0;
    const { receiver } = noting({ enqueue: () => calls++ });
    expect((await receiver.handle(signed([bad, unknown]))).status).toBe(422);
    expect(calls).toBe(0);
  });

  it('stores the rest when the key of one event cannot be had', async () => {
    const given: string[] = [];
    const { receiver } = noting({
      enqueue: (entries) => given.push(...entries.map((entry) => entry.event.id)),
      idempotencyKey: ({ id }) => (id === 'a' ? (undefined as never) : id),
    });
    expect((await receiver.handle(signed([event('a'), event('b')]))).status).toBe(500);
    expect(given).toEqual(['b']);
  });
});
