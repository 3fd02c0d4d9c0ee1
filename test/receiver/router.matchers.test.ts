import { describe, expect, it } from 'vitest';
import { createRouter, type EventFilter, type EventMatcher, WebhookError } from '../../src/index.js';
import { noting, signed } from '../helpers.js';
import { ADDRESS, context, emitted, routed } from './router.cases.js';

describe('a matcher', () => {
  /** Selects events by the number of their inputs, as ERC-20 and ERC-721 transfers differ in no name. */
  const inputs = (count: number, filter?: EventFilter): EventMatcher<{ count: number; id: string }> => ({
    filter,
    select: ({ id, data }) => (data.event.inputs.length === count ? { count, id } : undefined),
  });
  const transfer = { name: 'Transfer' };

  it('shares a filter with others, which are asked in order, and then the plain handler', () => {
    const asked: string[] = [];
    const matcher = (name: string, answer?: string): EventMatcher<string> => ({
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

  it.each([null, false, 0, ''])('selects with %j, and passes with undefined alone', (selected) => {
    const router = createRouter()
      .on({ select: () => selected }, (given) => ({ given }))
      .on('event.emitted', () => 'plain');
    expect(router.dispatch(emitted(), context)).toEqual({ given: selected });
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

  it.each([
    ['resolves', () => Promise.resolve(1)],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['resolves to nothing', async () => undefined],
  ])('fails the event of a matcher whose promise %s, and leaves nothing unhandled', async (_how, select) => {
    const matcher = { select } as never as EventMatcher<unknown>;
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
});
