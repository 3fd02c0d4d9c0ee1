import { describe, expect, it } from 'vitest';
import {
  createReceiver,
  createRouter,
  type EventFilter,
  type EventMatcher,
  type TransactionIncluded,
  WebhookError,
} from '../../src/index.js';
import { sampleTransactionIncluded as included } from '../../src/testing/index.js';
import { noting, secret, signed } from '../helpers.js';
import { ADDRESS, context, emitted, OTHER, routed } from './router.cases.js';

describe('a matcher', () => {
  /** Selects events by the number of their inputs, as ERC-20 and ERC-721 transfers differ in no name. */
  const inputs = (count: number, filter?: EventFilter): EventMatcher<{ count: number; id: string }> => ({
    kind: 'event.emitted',
    filter,
    select: ({ id, data }) => (data.event.inputs.length === count ? { count, id } : undefined),
  });
  const transfer = { name: 'Transfer' };

  it('gives its handler what it selected, and the context', () => {
    const calls: unknown[] = [];
    const event = emitted();
    createRouter()
      .on(inputs(3, transfer), (...args) => calls.push(args))
      .dispatch(event, context);
    expect(calls).toEqual([[{ count: 3, id: event.id }, context]]);
  });

  it('is asked as a method of its own', () => {
    class Counting implements EventMatcher<number> {
      readonly kind = 'event.emitted';
      readonly filter = { name: 'Transfer' };
      #count = 0;
      select() {
        this.#count += 1;
        return this.#count;
      }
    }
    const router = createRouter().on(new Counting(), (count) => count);
    expect([1, 2].map(() => router.dispatch(emitted(), context))).toEqual([1, 2]);
  });

  it('shares a filter with others, which are asked in order, and then the plain handler', () => {
    const asked: string[] = [];
    const matcher = (name: string, answer?: string): EventMatcher<string> => ({
      kind: 'event.emitted',
      filter: transfer,
      select: () => {
        asked.push(name);
        return answer;
      },
    });
    const given = (selected: string) => selected;
    const router = createRouter()
      .on('event.emitted', transfer, () => 'plain')
      .on(matcher('first'), given);
    expect(router.dispatch(emitted(), context)).toBe('plain');
    router.on(matcher('second', 'found'), given).on(matcher('third', 'never'), given);
    expect(router.dispatch(emitted(), context)).toBe('found');
    expect(asked).toEqual(['first', 'first', 'second']);
  });

  it('leaves what it does not select to less specific routes', () => {
    const router = createRouter()
      .on(inputs(0, { name: 'Transfer', address: ADDRESS }), () => 'none')
      .on(inputs(1, { name: 'Transfer', contractLabel: 'token' }), () => 'one')
      .on(inputs(2), () => 'two')
      .otherwise(() => 'otherwise');
    expect(router.dispatch(emitted(), context)).toBe('otherwise');
    router.on(inputs(3), () => 'three of any name');
    expect(router.dispatch(emitted(), context)).toBe('three of any name');
    router.on(inputs(3, transfer), () => 'three');
    expect(router.dispatch(emitted(), context)).toBe('three');
  });

  it('is not asked about an event that its filter does not hold for', () => {
    const router = createRouter().on(
      {
        kind: 'event.emitted',
        filter: { name: 'Transfer', address: OTHER },
        select: () => {
          throw new Error('It was asked.');
        },
      },
      () => 'selected',
    );
    expect(router.dispatch(emitted('Transfer', ADDRESS), context)).toBeUndefined();
    expect(router.dispatch(emitted('Burn', OTHER), context)).toBeUndefined();
    expect(router.dispatch(included(), context)).toBeUndefined();
    expect(() => router.dispatch(emitted('Transfer', OTHER), context)).toThrow('It was asked.');
  });

  it.each([null, false, 0, ''])('selects with %j, and passes with undefined alone', (selected) => {
    const router = createRouter()
      .on({ kind: 'event.emitted', select: () => selected }, (given) => ({ given }))
      .on('event.emitted', () => 'plain');
    expect(router.dispatch(emitted(), context)).toEqual({ given: selected });
  });

  it('selects transactions too', () => {
    const failed: EventMatcher<string, TransactionIncluded> = {
      kind: 'transaction.included',
      select: ({ id, data }) => (data.failed ? id : undefined),
    };
    const router = createRouter()
      .on('transaction.included', () => 'mined')
      .on(failed, (id) => id);
    const event = included({ data: { failed: true } });
    expect(router.dispatch(event, context)).toBe(event.id);
    expect(router.dispatch(included(), context)).toBe('mined');
    expect(router.dispatch(emitted(), context)).toBeUndefined();
  });

  it('stops at a select that throws, and asks no other route', () => {
    const error = new Error('undecodable');
    const router = createRouter()
      .on(
        {
          kind: 'event.emitted',
          filter: transfer,
          select: () => {
            throw error;
          },
        },
        () => 'selected',
      )
      .on('event.emitted', () => 'plain')
      .otherwise(() => 'otherwise');
    expect(() => router.dispatch(emitted(), context)).toThrow(error);
  });
});

describe('a router in a receiver', () => {
  it('acknowledges an event without a route', async () => {
    const { receiver, reported } = noting({ onEvent: routed([{ name: 'Burn' }]).dispatch });
    const { status, outcomes } = await receiver.handle(signed([emitted()]));
    expect({ status, outcome: outcomes[0]?.status, reported }).toEqual({
      status: 200,
      outcome: 'handled',
      reported: [],
    });
  });

  it('lets otherwise refuse, so that the event is sent again', async () => {
    const router = createRouter().otherwise(() => Promise.reject(new Error('no route')));
    const { receiver, reported } = noting({ onEvent: router.dispatch });
    expect((await receiver.handle(signed([emitted()]))).status).toBe(500);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
  });

  it('fails the event alone whose select throws', async () => {
    const handled: string[] = [];
    const router = createRouter()
      .on(
        {
          kind: 'event.emitted',
          filter: { name: 'Bad' },
          select: () => {
            throw new Error('undecodable');
          },
        },
        () => {},
      )
      .on('event.emitted', ({ data }) => handled.push(data.event.name));
    const { receiver } = noting({ onEvent: router.dispatch });
    const { status, outcomes } = await receiver.handle(signed([emitted('Bad'), emitted('Good')]));
    expect(status).toBe(500);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['failed', 'handled']);
    expect(handled).toEqual(['Good']);
  });

  it.each([
    ['resolves', () => Promise.resolve(1)],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['resolves to nothing', async () => undefined],
  ])('fails the event of a matcher whose promise %s, and leaves nothing unhandled', async (_how, select) => {
    const matcher = { kind: 'event.emitted', select } as never as EventMatcher<unknown>;
    const router = createRouter().on(matcher, () => {});
    const { receiver } = noting({ onEvent: router.dispatch });
    expect(await receiver.handle(signed([emitted()]))).toMatchObject({
      status: 500,
      error: { cause: { message: '`select` of a matcher must be synchronous: it returned a promise.' } },
    });
    await new Promise(setImmediate);
  });

  it('reports what several matchers say of an event once, and something else again', async () => {
    const reporting = (message: string): EventMatcher<unknown> => ({
      kind: 'event.emitted',
      select: (_, report) => report?.(new WebhookError('ERR_WEBHOOK_INVALID_EVENT', message)),
    });
    const router = createRouter();
    for (const message of ['odd', 'odd', 'other', 'odd']) router.on(reporting(message), () => {});
    const reports: unknown[] = [];
    const { receiver } = noting({
      onEvent: router.dispatch,
      onError: ({ message }, { item, idempotencyKey }) => reports.push([message, item?.status, idempotencyKey]),
    });
    const event = emitted();
    expect((await receiver.handle(signed([event]))).status).toBe(200);
    expect(reports).toEqual(['odd', 'other', 'odd'].map((message) => [message, 'event', `event.emitted:${event.id}`]));
  });

  it('waits for the handler of a route', async () => {
    const router = createRouter().on('event.emitted', { address: ADDRESS }, async () => {
      await new Promise(setImmediate);
      throw new Error('late');
    });
    const { receiver, reported } = noting({ onEvent: router.dispatch });
    expect((await receiver.handle(signed([emitted()]))).status).toBe(500);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
  });

  it('gives a handler the transaction of the store', async () => {
    const tx = { query: () => 'done' };
    const store = {
      async once(_key: string, run: (given: typeof tx) => Promise<void>) {
        await run(tx);
        return 'handled' as const;
      },
    };
    const seen: unknown[] = [];
    const router = createRouter<typeof tx>().on('event.emitted', (_, context) => seen.push(context.tx));
    const receiver = createReceiver({ secret, toleranceSeconds: false, store, onEvent: router.dispatch });
    expect((await receiver.handle(signed([emitted()]))).status).toBe(200);
    expect(seen).toEqual([tx]);
  });
});
