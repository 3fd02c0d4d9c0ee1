import { equal } from '../../matrix/cases/check.js';
import { bytesOf, SECRET, textOf } from '../../matrix/cases/delivery.js';
import type { Lab } from './lab.js';
import type { Case } from './suite.js';

const BODY = '[{"id":"ünïcode 🎉"}]';
const flip = (hex: string, at: number) => `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;

/** verifySignature as it may be called from JavaScript. */
const verifyWith = (lab: Lab) => lab.lib.verify.verifySignature as (...args: readonly unknown[]) => boolean;

const throwing = (): never => {
  throw new Error('looked at');
};

const JUNK: readonly unknown[] = [
  ...[undefined, null, true, 0, 1699582290, Number.NaN, 7n, Symbol('x'), '', '\0', '\ud800', 'x'.repeat(100_000)],
  ...[{}, [], [[]], Object.create(null), Object('x'), new Date(0), /x/, () => 'x', Promise.resolve(), new Map()],
  ...[new ArrayBuffer(0), new Uint8Array(0), new Uint8Array(8), new Uint16Array(8), new DataView(new ArrayBuffer(8))],
  new Proxy({}, { get: throwing, getPrototypeOf: throwing, has: throwing }),
  Object.defineProperty({}, 'length', { get: throwing }),
  { toString: throwing, valueOf: throwing },
];

const bodies: readonly (readonly [title: string, make: () => unknown, shared?: true])[] = [
  ['text', () => BODY],
  ['bytes', () => bytesOf(BODY)],
  ['an ArrayBuffer', () => bytesOf(BODY).buffer],
  ['a part of a larger buffer', () => bytesOf('xx', BODY, 'yy').subarray(2, -2)],
  ['signed bytes', () => new Int8Array(bytesOf(BODY).buffer)],
  ['clamped bytes', () => new Uint8ClampedArray(bytesOf(BODY).buffer)],
  ['bytes of a SharedArrayBuffer', () => sharedCopy(bytesOf(BODY)), true],
];

/** A copy in memory that several threads may share. */
export function sharedCopy(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length + 2)).subarray(1, -1);
  copy.set(bytes);
  return copy;
}

/** Genuine deliveries: keys and bodies of odd kinds. */
const ODD: readonly (readonly [title: string, secret: string, body: string | Uint8Array])[] = [
  ['a key of exactly one block of the hash', 'k'.repeat(64), BODY],
  ['a key longer than a block', 'a'.repeat(131), BODY],
  ['a key beyond ASCII', 'ключ-密钥-🔑', BODY],
  ['a key with white space around it', ' whsec \n', BODY],
  ['a body that is not UTF-8', SECRET, Uint8Array.from({ length: 256 }, (_, byte) => byte)],
  ['a body that starts with a byte order mark', SECRET, '\ufeff[]'],
];

export const signatureCases: readonly Case[] = [
  ...ODD.map(([title, secret, content]) => ({
    name: `verifies and makes the signature of WebCrypto: ${title}`,
    async run(lab: Lab) {
      const verify = verifyWith(lab);
      const { body, signature, timestamp } = await lab.sign(content, { secret });
      equal(verify(body, signature, timestamp, secret), true);
      equal(verify(body.buffer, signature.toUpperCase(), timestamp, ['other', secret]), true);
      equal(lab.lib.verify.signDelivery(body, { secret, timestamp }).signature, signature);
      equal(verify(body, signature, `${timestamp}0`, secret), false);
      equal(verify(body, signature, timestamp, `${secret}x`), false);
      equal(verify(bytesOf(body, '\0'), signature, timestamp, secret), false);
      equal(verify(body.subarray(1), signature, timestamp, secret), false);
    },
  })),
  ...bodies.map(([title, make, shared]) => ({
    name: `verifies a body that is ${title}`,
    ...(shared ? { needs: ({ sharedMemory }: { sharedMemory: boolean }) => sharedMemory } : {}),
    async run(lab: Lab) {
      const { signature, timestamp } = await lab.sign(BODY);
      const verify = verifyWith(lab);
      equal(verify(make(), signature, timestamp, SECRET), true);
      equal(verify(make(), flip(signature, 5), timestamp, SECRET), false);
      equal(verify(make(), signature, timestamp, `${SECRET} `), false);
    },
  })),
  {
    name: 'refuses signatures that differ in any one digit, and look-alikes of digits',
    async run(lab) {
      const verify = verifyWith(lab);
      const { signature, timestamp } = await lab.sign(BODY);
      for (let at = 0; at < 64; at++) {
        equal(verify(BODY, flip(signature, at), timestamp, SECRET), false, `digit ${at} changed`);
        const alike = String.fromCharCode(signature.charCodeAt(at) + 0x100);
        equal(verify(BODY, signature.slice(0, at) + alike + signature.slice(at + 1), timestamp, SECRET), false);
      }
      equal(verify(BODY, signature, timestamp, SECRET), true);
    },
  },
  {
    name: 'refuses text with a lone surrogate, which has no UTF-8',
    async run(lab) {
      const { body, signature, timestamp } = await lab.sign('["\ufffd"]');
      equal(verifyWith(lab)('["\ud800"]', signature, timestamp, SECRET), false);
      equal(verifyWith(lab)(textOf(body), signature, timestamp, SECRET), true);
    },
  },
  {
    name: 'never throws, and takes no junk for any of its arguments',
    async run(lab) {
      const { body, signature, timestamp } = await lab.sign('[]');
      const genuine: readonly unknown[] = [body, signature, timestamp, SECRET];
      const verify = verifyWith(lab);
      equal(verify(...genuine), true);
      for (const junk of JUNK) {
        for (const place of genuine.keys()) equal(verify(...genuine.with(place, junk)), false, `argument ${place}`);
        equal(verify(body, signature, timestamp, [junk]), false);
        equal(verify(junk, junk, junk, junk), false);
      }
      equal(verify(), false);
    },
  },
];
