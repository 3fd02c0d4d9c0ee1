import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as node from '../../src/runtime/hmac-node.js';
import * as pure from '../../src/runtime/hmac-pure.js';

const [secrets, timestamp] = [['old', 'new'], '1700000000'];

function stubCrypto(crypto: unknown): void {
  vi.stubGlobal('crypto', crypto);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
}

/** Notes how WebCrypto is called, from now on. */
function watchWebCrypto() {
  const { subtle } = globalThis.crypto;
  const spies = [vi.spyOn(subtle, 'importKey'), vi.spyOn(subtle, 'sign')] as const;
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return spies;
}

describe('hmacAhead', () => {
  it.each([0, 100, 4095, 4096, 20_000])('gives what hmacHex gives, for bodies of %i bytes', async (size) => {
    const body = new Uint8Array(size).fill(7);
    for (const backend of [node, pure]) {
      const [bytes, hmac] = await backend.hmacAhead(body, timestamp, secrets);
      expect(bytes).toEqual(body);
      for (const secret of [...secrets, 'another']) {
        expect(hmac(bytes, timestamp, secret)).toBe(node.hmacHex(body, timestamp, secret));
      }
    }
  });

  it.each([new Uint8Array(4095), 'x'.repeat(5000), undefined])(
    'leaves a body that is small or text to hmacHex',
    async (body) => {
      const [, sign] = watchWebCrypto();
      const [same, hmac] = await pure.hmacAhead(body, timestamp, secrets);
      expect(same).toBe(body);
      expect(hmac).toBe(pure.hmacHex);
      expect(sign).not.toHaveBeenCalled();
    },
  );

  it('hashes a body from 4096 bytes with WebCrypto, once for each secret', async () => {
    const [importKey, sign] = watchWebCrypto();
    await pure.hmacAhead(new Uint8Array(4096), timestamp, ['old', 'new']);
    const settled = (spy: typeof importKey | typeof sign) => spy.mock.settledResults.map(({ type }) => type);
    expect(settled(importKey)).toEqual(['fulfilled', 'fulfilled']);
    expect(settled(sign)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('gives the HMAC that WebCrypto computed', async () => {
    const sign = async () => new Uint8Array(32).fill(0xab).buffer;
    stubCrypto({ subtle: { importKey: async () => ({}), sign } });
    const [bytes, hmac] = await pure.hmacAhead(new Uint8Array(4096), timestamp, 'new');
    expect(hmac(bytes, timestamp, 'new')).toBe('ab'.repeat(32));
    expect(hmac(bytes, timestamp, 'another')).toBe(node.hmacHex(new Uint8Array(4096), timestamp, 'another'));
  });

  it('gives a large body back as it was hashed, whatever is written into it meanwhile', async () => {
    const body = new Uint8Array(5000).fill(1);
    const ahead = pure.hmacAhead(body, timestamp, secrets);
    body.fill(2);
    const [bytes, hmac] = await ahead;
    expect(bytes).toEqual(new Uint8Array(5000).fill(1));
    expect(hmac(bytes, timestamp, 'old')).toBe(node.hmacHex(bytes, timestamp, 'old'));
  });

  it('gives a large body back as it was hashed, when its buffer is taken away meanwhile', async () => {
    const gone = new Uint8Array(5000).fill(1);
    const detached = pure.hmacAhead(gone, timestamp, secrets);
    structuredClone(gone, { transfer: [gone.buffer] });
    expect((await detached)[0]).toEqual(new Uint8Array(5000).fill(1));
  });

  it.each([
    ['no crypto', undefined],
    ['no WebCrypto', { subtle: null }],
  ])('leaves the body to hmacHex where there is %s', async (_what, crypto) => {
    stubCrypto(crypto);
    const body = new Uint8Array(5000);
    expect((await pure.hmacAhead(body, timestamp, 'new'))[0]).toBe(body);
    expect((await pure.hmacAhead(body, timestamp, 'new'))[1]).toBe(pure.hmacHex);
  });

  const sign = () => Promise.reject(new Error('Not supported'));
  it.each([
    ['without keys', { subtle: {} }],
    ['that fails', { subtle: { importKey: async () => ({}), sign } }],
  ])('hashes where there is a WebCrypto %s', async (_what, crypto) => {
    stubCrypto(crypto);
    const body = new Uint8Array(5000);
    const [bytes, hmac] = await pure.hmacAhead(body, timestamp, 'new');
    expect(bytes).toEqual(body);
    expect(hmac(bytes, timestamp, 'new')).toBe(node.hmacHex(body, timestamp, 'new'));
  });
});
