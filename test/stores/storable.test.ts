import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storableKey } from '../../src/stores/storable.js';
import { HOSTILE_KEYS } from '../contracts/store-helpers.js';

describe('storableKey', () => {
  it.each(['6e306490-fa1a-450e-bfe2-fffb3e83cd68', '0xabc:0xdef:12', 'order/1@shop+2', 'a'.repeat(200)])(
    'keeps %s readable',
    (key) => {
      expect(storableKey(key)).toBe(key);
    },
  );

  it.each(['', ' ', 'a b', 'a'.repeat(201), 'sha256:', `sha256:${'0'.repeat(64)}`, 'ä', '\0', "'", '%', '*', '\\'])(
    'hashes %j',
    (key) => {
      expect(storableKey(key)).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(storableKey(key)).not.toBe(key);
    },
  );

  it('hashes the UTF-16 code units', () => {
    // printf '' | sha256sum, and printf '\xe4\x00' | sha256sum
    expect(storableKey('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(storableKey('ä')).toBe('sha256:5f705d46c912e5395c37321c36759e025d4fadea28cbd331380d0e48060c19dd');
  });

  it('maps different keys to different texts', async () => {
    expect(new Set(HOSTILE_KEYS.map(storableKey)).size).toBe(HOSTILE_KEYS.length);
    const keys = fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...HOSTILE_KEYS)));
    await fc.assert(fc.property(keys, (each) => new Set(each.map(storableKey)).size === each.length));
  });

  it('returns text that every database accepts', async () => {
    const key = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 500 }));
    await fc.assert(fc.property(key, (each) => /^[\w.:@/+-]{1,200}$/.test(storableKey(each))));
  });
});
