import { describe, expect, it } from 'vitest';
import { AbiData } from '../../src/evm/abi-data.js';
import { decodeValues } from '../../src/evm/codec.js';
import { codecOf } from '../../src/evm/codec-of.js';
import { arrayCodec } from '../../src/evm/composite-codecs.js';

describe('an error in the decoder', () => {
  const defect = new TypeError('a defect');
  const broken = {
    ...codecOf({ type: 'uint8' }),
    read() {
      throw defect;
    },
  };

  it.each([
    ['a value', broken],
    ['an element', arrayCodec(broken, 1)],
  ])('at %s is thrown unchanged and does not blame the event', (_where, codec) => {
    const fail = () => new Error('The event is wrong.');
    expect(() => decodeValues([{ codec, label: 'a' }], new AbiData(`0x${'00'.repeat(32)}`), fail)).toThrow(defect);
  });
});
