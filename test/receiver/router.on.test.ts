import { describe, expect, it } from 'vitest';
import { createRouter, type EventMatcher } from '../../src/index.js';
import { ADDRESS, BY_WEIGHT, routed } from './router.cases.js';

/** A call that the compiler would refuse. */
function untyped(...args: readonly unknown[]) {
  const router = createRouter();
  return () => Reflect.apply(router.on, router, args);
}
const TAKES: Record<string, string> = {
  name: 'a name without types',
  address: '0x and 40 hex digits',
  contractLabel: 'a non-empty string',
};
const config = (message: RegExp) =>
  expect.objectContaining({ name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(message) });

describe('on of a router', () => {
  const handler = () => {};

  it('refuses a duplicate route, and names it', () => {
    const router = createRouter().on('event.emitted', handler).on('transaction.included', handler);
    expect(() => router.on('event.emitted', handler)).toThrow(config(/route event\.emitted.* already has/));
    expect(() => router.on('transaction.included', handler)).toThrow(config(/transaction\.included already has/));
    for (const filter of BY_WEIGHT) {
      router.on('event.emitted', filter, handler);
      const again = () => router.on('event.emitted', filter, handler);
      expect(again).toThrow(config(/route event\.emitted.* already has/));
      expect(again).toThrow(JSON.stringify({ ...filter, address: filter.address?.toLowerCase() }));
    }
    expect(() => router.otherwise(handler).otherwise(handler)).toThrow(config(/otherwise already has/));
  });

  it('takes one address in two cases for one route', () => {
    const router = routed([{ address: ADDRESS }]);
    expect(() => router.on('event.emitted', { address: ADDRESS.toLowerCase() }, handler)).toThrow(config(/already/));
  });

  it('refuses a matcher that it has, and takes another with the same filter', () => {
    const matcher = (): EventMatcher<number> => ({
      filter: { name: 'Transfer' },
      select: () => 1,
    });
    const one = matcher();
    const router = createRouter().on(one, handler).on(matcher(), handler);
    expect(() => router.on(one, handler)).toThrow(config(/Transfer.*already/));
  });

  it.each([[undefined], [null], ['text'], [{}]])('refuses the handler %j', (no) => {
    expect(untyped('event.emitted', no)).toThrow(config(/function/));
    expect(untyped('event.emitted', { name: 'Transfer' }, no)).toThrow(config(/Transfer.*must be a function/));
    expect(untyped('transaction.included', no)).toThrow(config(/function/));
    expect(untyped({ select: handler }, no)).toThrow(config(/function/));
    expect(() => Reflect.apply(createRouter().otherwise, undefined, [no])).toThrow(
      config(/handler of otherwise. must be a function/),
    );
  });

  it.each([['event'], ['Event.emitted'], ['__proto__'], [''], [undefined], [null], [7], [{}], [{ select: 1 }], [[]]])(
    'refuses the kind %j',
    (kind) => {
      expect(untyped(kind, handler)).toThrow(config(/^`on` takes 'event\.emitted'.*transaction\.included.*matcher/));
      const { onReverted } = createRouter();
      expect(() => Reflect.apply(onReverted, undefined, [kind, handler])).toThrow(config(/^`onReverted` takes/));
    },
  );

  it.each([
    ['adress', { name: 'Transfer', adress: ADDRESS }],
    ['event', { event: 'Transfer' }],
    ['__proto__', JSON.parse('{"__proto__":"x"}')],
    ['toString', { toString: 'x' }],
    ['name', { name: '' }],
    ['name', { name: undefined, address: ADDRESS }],
    ['name', { name: 7 }],
    ['name', { name: ['Transfer'] }],
    ['name', { name: 'Transfer(address,address,uint256)' }],
    ['address', { name: 'Transfer', address: undefined }],
    ['address', { name: 'Transfer', address: null }],
    ['address', { address: '' }],
    ['address', { address: ADDRESS.slice(2) }],
    ['address', { address: ADDRESS.slice(0, -1) }],
    ['address', { address: `${ADDRESS}0` }],
    ['address', { address: `${ADDRESS}\n` }],
    ['address', { address: `0x${ADDRESS}` }],
    ['address', { address: ADDRESS.toUpperCase() }],
    ['address', { address: ADDRESS.replace('5', 'g') }],
    ['address', { address: [ADDRESS] }],
    ['contractLabel', { name: 'Transfer', contractLabel: '' }],
    ['contractLabel', { name: 'Transfer', contractLabel: undefined }],
  ])('refuses the key %s in the filter of case %#, and names it', (key, filter) => {
    const message = config(new RegExp(`^.filter(\\.${key}. must be ${TAKES[key]}, got|. has no option .${key}.)`));
    expect(untyped('event.emitted', filter, handler)).toThrow(message);
    expect(untyped({ filter, select: handler }, handler)).toThrow(message);
  });

  it.each([[{}], [undefined], [null], ['Transfer'], [7], [[]], [handler], [new Map([['name', 'Transfer']])]])(
    'refuses %j as a filter',
    (filter) => {
      expect(untyped('event.emitted', filter, handler)).toThrow(
        config(/takes an options object, got|needs at least one of/),
      );
    },
  );

  it('refuses a filter for transactions, and a surplus argument', () => {
    const message = config(/with an optional filter/);
    expect(untyped('transaction.included', { name: 'Transfer' }, handler)).toThrow(message);
    expect(untyped('event.emitted', { name: 'Transfer' }, handler, handler)).toThrow(message);
    const matcher = { filter: { name: 'Transfer' }, select: handler };
    expect(untyped(matcher, { address: ADDRESS }, handler)).toThrow(message);
  });
});
