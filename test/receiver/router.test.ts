import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRouter, type EventFilter, type WebhookEvent } from '../../src/index.js';
import { sampleTransactionIncluded as included } from '../../src/testing/index.js';
import { ADDRESS, context, emitted, OTHER, routed } from './router.cases.js';

describe('dispatch of a router', () => {
  it('gives an event to the handler of its kind, with its context', () => {
    const calls: unknown[] = [];
    const router = createRouter()
      .on('event.emitted', (...args) => calls.push(['emitted', ...args]))
      .on('transaction.included', (...args) => calls.push(['included', ...args]));
    const events = [emitted(), included()];
    for (const event of events) router.dispatch(event, context);
    expect(calls).toEqual([
      ['emitted', events[0], context],
      ['included', events[1], context],
    ]);
    expect((calls[0] as unknown[])[1]).toBe(events[0]);
  });

  it.each([
    [ADDRESS.toLowerCase(), ADDRESS],
    [ADDRESS, ADDRESS.toLowerCase()],
    [`0x${ADDRESS.slice(2).toUpperCase()}`, ADDRESS],
    [ADDRESS, ADDRESS.toUpperCase()],
  ])('matches the address %s with %s', (address, sent) => {
    expect(routed([{ address }]).dispatch(emitted('Transfer', sent), context)).toBe(JSON.stringify({ address }));
  });

  it('returns what a handler returns and throws what it throws, as it is', () => {
    const promise = Promise.resolve();
    const error = new Error('no');
    const { dispatch } = createRouter()
      .on('event.emitted', { name: 'Transfer' }, () => promise)
      .on('event.emitted', () => {
        throw error;
      })
      .otherwise(() => {
        throw 'a text';
      });
    expect(dispatch(emitted(), context)).toBe(promise);
    expect(() => dispatch(emitted('Burn'), context)).toThrow(error);
    expect(() => dispatch(included(), context)).toThrow('a text');
  });

  it('gives an event of a kind that it does not know to otherwise', () => {
    const router = createRouter()
      .on('event.emitted', () => 'emitted')
      .on('transaction.included', () => 'included')
      .otherwise(() => 'otherwise');
    const kinds = ['block.mined', '__proto__', 'constructor', '', undefined];
    for (const kind of kinds) {
      expect(router.dispatch({ ...emitted(), event: kind } as unknown as WebhookEvent, context)).toBe('otherwise');
    }
  });

  it('reads of an event only what some route asks for', () => {
    const event = emitted();
    Object.defineProperty(event.data.event, 'contract', {
      get() {
        throw new Error('The contract was read.');
      },
    });
    expect(routed([{ name: 'Transfer' }]).dispatch(event, context)).toBe('{"name":"Transfer"}');
    const router = routed([{ name: 'Transfer' }, { name: 'Burn', address: ADDRESS, contractLabel: 'token' }]);
    expect(router.dispatch(event, context)).toBe('{"name":"Transfer"}');
    expect(() => routed([{ address: ADDRESS }]).dispatch(event, context)).toThrow('The contract was read.');
  });

  it('takes a route that is added after the first event', () => {
    const router = routed([{ name: 'Transfer' }]);
    expect(router.dispatch(emitted(), context)).toBe('{"name":"Transfer"}');
    router.on('event.emitted', { name: 'Transfer', contractLabel: 'token' }, () => 'later');
    expect(router.dispatch(emitted(), context)).toBe('later');
    expect(router.dispatch(emitted('Transfer', ADDRESS, 'other'), context)).toBe('{"name":"Transfer"}');
  });

  const NAMES = [
    'Transfer',
    'a',
    '__proto__',
    'constructor',
    'toString',
    'a\u0000b',
    'a,b',
    'a|0x',
    ' ',
    'é',
    '\uD800',
  ];
  const LABELS = ['a', 'b', '__proto__', 'hasOwnProperty', 'a\u0000b', ',', '\n', 'A'];
  const ADDRESSES = [ADDRESS, OTHER, `0x${'0'.repeat(40)}`];
  const part = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const filters = fc.uniqueArray(
    fc.record({ name: part(NAMES), address: part(ADDRESSES), contractLabel: part(LABELS) }).map((filter) => {
      return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as EventFilter;
    }),
    { selector: (filter) => JSON.stringify(filter), maxLength: 60 },
  );
  const sent = fc.tuple(
    fc.constantFrom(...NAMES, ''),
    fc.constantFrom(...ADDRESSES, '', '__proto__').chain((text) => fc.constantFrom(text, text.toLowerCase())),
    fc.constantFrom(...LABELS, ''),
  );

  it('gives whatever event to the route that a search of all of them finds', () => {
    fc.assert(
      fc.property(filters, fc.array(sent), (all, events) => {
        const router = routed(all.filter((filter) => Object.keys(filter).length > 0)).on('event.emitted', () => 'kind');
        for (const [name, address, label] of events) {
          const matching = all.filter(
            (filter) =>
              Object.keys(filter).length > 0 &&
              (filter.name ?? name) === name &&
              (filter.address ?? address).toLowerCase() === address.toLowerCase() &&
              (filter.contractLabel ?? label) === label,
          );
          const weight = (filter: EventFilter) =>
            (filter.name ? 4 : 0) + (filter.address ? 2 : 0) + (filter.contractLabel ? 1 : 0);
          const [best] = matching.sort((a, b) => weight(b) - weight(a));
          expect(router.dispatch(emitted(name, address, label), context)).toBe(best ? JSON.stringify(best) : 'kind');
        }
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});
