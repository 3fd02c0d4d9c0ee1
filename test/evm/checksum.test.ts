import { checksumAddress as byViem } from 'viem';
import { describe, expect, it } from 'vitest';
import { checksumAddress } from '../../src/evm/checksum.js';
import { createRandom } from '../chaos/random.js';

describe('a checksum', () => {
  // From EIP-55.
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ])('is that of EIP-55: %s', (address) => {
    expect(checksumAddress(address.slice(2).toLowerCase())).toBe(address);
  });

  it('is the same for more addresses than are cached, and when they return', () => {
    const random = createRandom(1);
    const addresses = Array.from({ length: 10_000 }, () => random.hex(40));
    const expected = addresses.map((digits) => byViem(`0x${digits}`));
    expect(addresses.map(checksumAddress)).toEqual(expected);
    expect(addresses.map(checksumAddress)).toEqual(expected);
    expect(addresses.slice(-10).map(checksumAddress)).toEqual(expected.slice(-10));
  });
});
