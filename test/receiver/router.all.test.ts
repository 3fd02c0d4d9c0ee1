import { describe, expect, it } from 'vitest';
import { createReceiver, createRouter, type EventContext, WebhookError } from '../../src/index.js';
import { event, seconds, secret, signed, throwing } from '../helpers.js';
import { fakeBulkStore } from './fake-bulk-store.js';

const now = () => seconds * 1000;
const delivery = () =>
  signed([event('a', 'Transfer'), event('b', 'Approval'), event('c', 'Mint'), event('d', 'Transfer')]);

describe('router.dispatchAll', () => {
  it('gives each event to its route, in order, within one transaction, with its own key', async () => {
    const seen: unknown[] = [];
    const note = (route: string) => async (each: { id: string }, context: EventContext<{ id: number }>) => {
      await new Promise(setImmediate);
      seen.push([route, each.id, context.idempotencyKey, context.tx, context.timestamp, context.fencingToken]);
      context.throwIfExpired();
    };
    const tx = { id: 7 };
    const router = createRouter<{ id: number }>()
      .on('event.emitted', { name: 'Transfer' }, note('transfers'))
      .on('event.emitted', { name: 'Approval' }, note('approvals'));
    const { store } = fakeBulkStore(tx, { transactional: true, fencingToken: 3n });
    const receiver = createReceiver({ secret, now, store, onEvents: router.dispatchAll });
    expect(await receiver.handle(delivery())).toMatchObject({ status: 200 });
    expect(seen).toEqual([
      ['transfers', 'a', 'event.emitted:a', tx, String(seconds), 3n],
      ['approvals', 'b', 'event.emitted:b', tx, String(seconds), 3n],
      ['transfers', 'd', 'event.emitted:d', tx, String(seconds), 3n],
    ]);
  });

  it('returns no promise if no route does, as in a synchronous transaction', async () => {
    const seen: string[] = [];
    const { dispatchAll } = createRouter().otherwise(({ id }) => {
      seen.push(id);
    });
    const entries = ['a', 'b'].map((id) => ({ event: event(id), idempotencyKey: id }));
    expect(dispatchAll(entries, {} as never)).toBeUndefined();
    expect(seen).toEqual(['a', 'b']);
    expect(dispatchAll([], {} as never)).toBeUndefined();
  });

  it.each([
    ['throws', throwing(new Error('no'))],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('stops at the first route that %s, and gets halves of the events again', async (_, fail) => {
    const seen: string[] = [];
    const router = createRouter()
      .on('event.emitted', { name: 'Approval' }, fail)
      .otherwise(({ id }) => seen.push(id));
    const { store } = fakeBulkStore(undefined, { transactional: true });
    const receiver = createReceiver({ secret, now, store, onEvents: router.dispatchAll });
    const result = await receiver.handle(delivery());
    expect(result.outcomes.map(({ status }) => status)).toEqual(['handled', 'failed', 'handled', 'handled']);
    expect(seen).toEqual(['a', 'a', 'a', 'c', 'd']);
  });

  it('reports an event that its route skipped as that event', async () => {
    const reports: unknown[] = [];
    const skipped = new WebhookError('ERR_WEBHOOK_INVALID_EVENT', 'It does not decode.');
    const router = createRouter().on(
      {
        select(each, report) {
          if (each.id === 'b') report?.(skipped);
          return each.id === 'b' ? undefined : each;
        },
      },
      () => {},
    );
    const receiver = createReceiver({
      secret,
      now,
      onEvents: router.dispatchAll,
      onError: (error, { idempotencyKey, item }) => reports.push([error, idempotencyKey, item?.status]),
    });
    expect((await receiver.handle(delivery())).status).toBe(200);
    expect(reports).toEqual([[skipped, 'event.emitted:b', 'event']]);
  });
});
