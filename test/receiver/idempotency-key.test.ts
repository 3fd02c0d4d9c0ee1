import { describe, expect, it } from 'vitest';
import { isDefaultKey, keyOf, kindAndId } from '../../src/handle/idempotency-key.js';
import { event } from '../helpers.js';

const key = (own: unknown, source?: string) => keyOf(() => own as string, event('a'), source);

describe('the key of an event', () => {
  it.each([
    ['k', undefined, 'k'],
    ['a::k', undefined, '::a::k'],
    ['k', 'shop', 'shop::k'],
    ['k', 'a:b%c', 'a%3Ab%25c::k'],
    ['a::k', 'shop', 'shop::a::k'],
  ])('%j of the source %j is %j', (own, source, whole) => {
    expect(key(own, source)).toBe(whole);
  });

  it.each([
    [undefined, 'undefined'],
    ['', 'an empty string'],
    [7, 'a number'],
    [['k'], 'an array'],
    [Promise.resolve('k'), 'an object'],
  ])('cannot be %j', (own, name) => {
    expect(() => key(own)).toThrow(
      new TypeError(`\`idempotencyKey\` must return a non-empty string synchronously, got ${name}.`),
    );
  });

  it('is the default one if its kind and id end it, within any source', () => {
    const own = event('a');
    expect(kindAndId(own)).toBe('event.emitted:a');
    for (const source of [undefined, 'shop', 'a:b'])
      expect(isDefaultKey(keyOf(kindAndId, own, source), own)).toBe(true);
    for (const other of ['a', 'x:event.emitted:a', '::event.emitted:a:removed', 'event.emitted:b', ''])
      expect(isDefaultKey(other, own)).toBe(false);
  });
});
