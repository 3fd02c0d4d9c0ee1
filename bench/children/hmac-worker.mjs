// Signs a body of some size again and again where there is no Node. The clock stands still in a Worker while it computes,
// so whoever asks measures.
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhbGwgYmVuY2htYXJrcyBoZXJl';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const utf8 = new TextEncoder();
const timestamp = '1700000000';

const importKey = () => crypto.subtle.importKey('raw', utf8.encode(SECRET), HMAC, false, ['sign']);
let cachedKey;

/** `crypto.subtle` takes one buffer, so the body is copied to stand before the timestamp. */
async function withWebCrypto(key, body) {
  const signed = new Uint8Array(body.length + timestamp.length);
  signed.set(body);
  utf8.encodeInto(timestamp, signed.subarray(body.length));
  return bytesToHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)));
}

const CANDIDATES = {
  pure: (body) =>
    bytesToHex(hmac.create(sha256, utf8.encode(SECRET)).update(body).update(utf8.encode(timestamp)).digest()),
  webCrypto: async (body) => {
    cachedKey ??= await importKey();
    return withWebCrypto(cachedKey, body);
  },
};

export async function handler(request) {
  const { searchParams } = new URL(request.url);
  const candidate = CANDIDATES[searchParams.get('candidate')];
  const body = new Uint8Array(Number(searchParams.get('size'))).fill(97);
  const times = Number(searchParams.get('times'));
  let digest = '';
  for (let i = 0; i < times; i++) {
    const result = candidate(body);
    digest = typeof result === 'string' ? result : await result;
  }
  return new Response(digest);
}
