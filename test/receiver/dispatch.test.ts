import { describe, expect, it } from 'vitest';
import { type EventContext, WebhookError, type WebhookEvent } from '../../src/index.js';
import { deferred, event, noting, seconds, signed, throwing } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { storeDoing } from './fake-bulk-store.js';

onSteadyClock();

const _bad = { id: 'bad', event: 'event.emitted', data: {} };
const _unknown = { id: 'new', event: 'block.finalised', data: { any: 1 } };
const statuses = (result: { outcomes: readonly { status: string }[] }) => result.outcomes.map(({ status }) => status);

describe('onEvent', () => {
  it('is given the event and its context', async () => {
    const seen: [WebhookEvent, EventContext][] = [];
    const { receiver } = noting({ onEvent: (...given) => seen.push(given) });
    await receiver.handle(signed([event('a')]));
    expect(seen).toHaveLength(1);
    expect(seen[0]?.[0].id).toBe('a');
    expect(seen[0]?.[1]).toMatchObject({
      idempotencyKey: 'event.emitted:a',
      timestamp: String(seconds),
      tx: undefined,
    });
    expect(seen[0]?.[1].signal.aborted).toBe(false);
  });

  it.each([
    ['throws', throwing(new Error('no'))],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with the error of another store', () => Promise.reject(new WebhookError('ERR_WEBHOOK_STORE', 'down'))],
  ])('that %s gives 500 after the others were tried; a redelivery runs only what is unfinished', async (_how, fail) => {
    const handled: string[] = [];
    let failing = true;
    const onEvent = (each: WebhookEvent) => {
      if (failing && each.id === 'b') return fail();
      handled.push(each.id);
    };
    const { receiver, reported } = noting({ onEvent });
    const delivery = signed([event('a'), event('b'), event('c')]);
    const first = await receiver.handle(delivery);
    expect(first).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect(statuses(first)).toEqual(['handled', 'failed', 'handled']);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
    failing = false;
    const second = await receiver.handle(delivery);
    expect(second.status).toBe(200);
    expect(statuses(second)).toEqual(['duplicate', 'handled', 'duplicate']);
    expect(handled).toEqual(['a', 'c', 'b']);
  });

  it('can copy its context, which keeps everything and works', async () => {
    const copies: EventContext[] = [];
    const receive = noting({
      onEvent: async (_each: WebhookEvent, context: EventContext) => {
        copies.push({ ...context });
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      },
      handlerTimeoutMs: 20,
    });
    const { error } = await receive.receiver.handle(signed([event('a')]));
    const [copy] = copies;
    expect(copy).toMatchObject({ idempotencyKey: 'event.emitted:a', timestamp: String(seconds) });
    expect(copy?.signal.reason).toBe(error);
    expect(() => copy?.throwIfExpired()).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' }));
    expect(copy?.deadline).toBeTypeOf('number');
  });

  it.each([[undefined], [7], ['text'], [null], [{}]])('that returns %j has taken effect', async (value) => {
    expect((await noting({ onEvent: () => value }).receiver.handle(signed([event('a')]))).status).toBe(200);
  });

  it('that returns a thenable is waited for, also a function', async () => {
    const then = (_yes: unknown, no: (error: Error) => void) => no(new Error('late'));
    for (const thenable of [{ then }, Object.assign(() => {}, { then })]) {
      const late = { error: { cause: { message: 'late' } } };
      expect(await noting({ onEvent: () => thenable as never }).receiver.handle(signed([event('a')]))).toMatchObject(
        late,
      );
      expect(await noting({ enqueue: () => thenable }).receiver.handle(signed([event('a')]))).toMatchObject(late);
    }
  });

  it('may take as long as the longest handlerTimeoutMs says', async () => {
    const onEvent = () => new Promise((resolve) => setTimeout(resolve, 5));
    const { receiver } = noting({ handlerTimeoutMs: 2 ** 31 - 1, onEvent });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 200 });
  });

  it('runs one event at a time unless concurrency says more', async () => {
    for (const [concurrency, most] of [
      [undefined, 1],
      [3, 3],
      [100, 5],
    ] as const) {
      let [running, peak] = [0, 0];
      const onEvent = async () => {
        peak = Math.max(peak, ++running);
        await new Promise(setImmediate);
        running--;
      };
      const { receiver } = noting({ onEvent, concurrency });
      const result = await receiver.handle(signed(['a', 'b', 'c', 'd', 'e'].map((id) => event(id))));
      expect(result.outcomes.map(({ idempotencyKey }) => idempotencyKey?.at(-1))).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(peak).toBe(most);
    }
  });
});

describe('the idempotency key', () => {
  it('runs once for the same key twice in one delivery, at any concurrency', async () => {
    for (const concurrency of [1, 4]) {
      const { receiver, handled } = noting({ concurrency });
      const result = await receiver.handle(signed([event('a'), event('a', 'Approval'), event('b'), event('a')]));
      expect(result.status).toBe(200);
      expect(statuses(result)).toEqual(['handled', 'duplicate', 'handled', 'duplicate']);
      expect(handled).toEqual(['a', 'b']);
    }
  });

  it('lets a repeated key in one delivery share the failure of the first, without a second run', async () => {
    let runs = 0;
    const onEvent = () => {
      runs++;
      throw new Error('no');
    };
    const result = await noting({ onEvent }).receiver.handle(signed([event('a'), event('a')]));
    expect(statuses(result)).toEqual(['failed', 'failed']);
    expect(runs).toBe(1);
  });

  it('fails its event only when its function throws', async () => {
    const { receiver } = noting({ idempotencyKey: (each) => (each.id === 'b' ? throwing('no key')() : each.id) });
    const result = await receiver.handle(signed([event('a'), event('b')]));
    expect(result.status).toBe(500);
    expect(statuses(result)).toEqual(['handled', 'failed']);
  });

  it('is remembered within a delivery only with store: false', async () => {
    const { receiver, handled } = noting({ store: false });
    const delivery = signed([event('a'), event('a')]);
    await receiver.handle(delivery);
    expect(statuses(await receiver.handle(delivery))).toEqual(['handled', 'duplicate']);
    expect(handled).toEqual(['a', 'a']);
  });
});

describe('a store of one’s own', () => {
  it('gives its transaction to the handler', async () => {
    const seen: unknown[] = [];
    const store = storeDoing((run) => run().then(() => 'handled'), { id: 7 });
    const { receiver } = noting({ store, onEvent: (_each, { tx }) => seen.push(tx.id) });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
    expect(seen).toEqual([7]);
  });
});

describe('duplicates at the same instant', () => {
  it('run once: the second gets 503 and is a duplicate later', async () => {
    const gate = deferred();
    let runs = 0;
    const onEvent = () => {
      runs++;
      return gate.promise;
    };
    const { receiver } = noting({ onEvent });
    const first = receiver.handle(signed([event('a')]));
    const second = await receiver.handle(signed([event('a')]));
    expect(second).toMatchObject({ status: 503, retryAfterSeconds: 5, error: { code: 'ERR_WEBHOOK_IN_PROGRESS' } });
    gate.resolve();
    expect(statuses(await first)).toEqual(['handled']);
    expect(statuses(await receiver.handle(signed([event('a')])))).toEqual(['duplicate']);
    expect(runs).toBe(1);
  });
});
