import { expect, it } from 'vitest';
import { isDefaultKey, keyOf, kindAndId } from '../../src/handle/idempotency-key.js';
import { event } from '../helpers.js';

it('a key is the default one if its kind and id end it, within any source', () => {
  const own = event('a');
  for (const source of [undefined, 'shop', 'a:b']) expect(isDefaultKey(keyOf(kindAndId, own, source), own)).toBe(true);
  for (const other of ['a', 'x:event.emitted:a', '::event.emitted:a:removed', 'event.emitted:b', ''])
    expect(isDefaultKey(other, own)).toBe(false);
});
