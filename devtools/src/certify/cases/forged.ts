import { randomBytes } from 'node:crypto';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { Bench, Request } from '../bench.js';
import type { Case } from '../case.js';
import { bytesOf } from '../events.js';

/** An authentic request, before it is changed. */
type Signed = ReturnType<Bench['sign']>;

/** Requests that a receiver must refuse, by what they are. */
export interface Forgery extends Omit<Case, 'group' | 'run'> {
  readonly make: (signed: () => Signed, bench: Bench) => Readonly<Record<string, Request>>;
}

const FORGE = 'Anyone who knows the URL can credit themselves with events that never happened.';
const COMPARE =
  'Compare all 64 digits: check that the header is 64 hex digits, decode it, and compare in constant time.';

const bytes = (text: string) => Buffer.from(text);
const cat = (...parts: Uint8Array[]) => Buffer.concat(parts);

/** A body with another last digit of the amount. It is still JSON. */
function withOtherAmount(body: Uint8Array): Buffer {
  const text = Buffer.from(body).toString();
  return bytes(text.replace('"value":"1000000000000000000"', '"value":"1000000000000000009"'));
}

const otherDigit = (digit = '') => (digit === '0' ? '1' : '0');

export const FORGERIES: readonly Forgery[] = [
  {
    id: 'other-secret',
    title: 'Signed with another secret, an empty one, or the text `undefined`',
    make: (signed, { sign }) => {
      const signedWith = (key: string) => sign(signed().body, undefined, key);
      return {
        'another secret': signedWith(randomBytes(32).toString('hex')),
        'an empty secret': signedWith(''),
        'the secret "undefined"': signedWith('undefined'),
      };
    },
    risk: FORGE,
    fix: 'Verify the signature, and refuse to start without a secret: an unset one must not mean that nothing is checked.',
  },
  {
    id: 'changed-body',
    title: 'A body that was changed after it was signed',
    make: (signed) => {
      const one = signed();
      const another = signed();
      const spaced = bytes(Buffer.from(another.body).toString().replace('[{', '[ {'));
      return {
        'another amount': { ...one, body: withOtherAmount(one.body) },
        'a space between tokens': { ...another, body: spaced },
      };
    },
    risk: 'Anyone who sees one delivery can change its content. If JSON is serialized again before the HMAC, bytes that nobody signed are taken.',
    fix: 'Compute the HMAC over the raw bytes of the body, before anything parses it.',
  },
  {
    id: 'changed-signature',
    title: 'A signature with another digit at its start or end',
    make: (signed) => {
      const [first, last] = [signed(), signed()];
      return {
        'another first digit': { ...first, signature: otherDigit(first.signature[0]) + first.signature.slice(1) },
        'another last digit': { ...last, signature: last.signature.slice(0, -1) + otherDigit(last.signature.at(-1)) },
      };
    },
    risk: FORGE,
    fix: COMPARE,
  },
  {
    id: 'changed-timestamp',
    title: 'Another timestamp than the signed one',
    make: (signed) => {
      const one = signed();
      return { 'a second later': { ...one, timestamp: String(Number(one.timestamp) + 1) } };
    },
    risk: 'A recorded delivery can be given a new timestamp and replayed forever.',
    fix: 'Append the text of the timestamp header to the body in the HMAC.',
  },
  {
    id: 'truncated',
    title: 'A signature or a body that was cut',
    make: (signed) => {
      const [whole, half, odd, short, cut] = [signed(), signed(), signed(), signed(), signed()];
      return {
        'half a signature': { ...half, signature: half.signature.slice(0, 32) },
        'a signature without its last digit': { ...odd, signature: odd.signature.slice(0, -1) },
        'two digits of a signature': { ...short, signature: short.signature.slice(0, 2) },
        'a body without its last byte': { ...whole, body: whole.body.subarray(0, -1) },
        'half a body': { ...cut, body: cut.body.subarray(0, cut.body.length >> 1) },
      };
    },
    risk: 'A short signature can be guessed: two digits take 256 tries. If it makes the handler throw, any stranger can do so at will.',
    fix: `${COMPARE} \`timingSafeEqual\` throws on other lengths.`,
  },
  {
    id: 'seam',
    title: 'Bytes moved between body and timestamp, which keeps the signature valid',
    make: (signed) => {
      const [into, out] = [signed(), signed()];
      const digit = into.timestamp.slice(0, 1);
      return {
        'a digit moved into the body': {
          ...into,
          body: cat(into.body, bytes(digit)),
          timestamp: into.timestamp.slice(1),
        },
        'a bracket moved into the timestamp': {
          ...out,
          body: out.body.subarray(0, -1),
          timestamp: `]${out.timestamp}`,
        },
      };
    },
    risk: 'Anyone who sees one delivery can send it with another timestamp and body. If that makes the handler throw, it fills your error log.',
    fix: 'Accept a timestamp of decimal digits only, and only a body that is a whole JSON array. Answer 400 or 403 to all others.',
  },
  {
    id: 'trailing-text',
    title: 'Text after the digest',
    make: (signed) => {
      const after = (text: string) => {
        const one = signed();
        return { ...one, signature: one.signature + text };
      };
      return { 'the digest and "zz"': after('zz'), 'the digest and "0"': after('0'), 'the digest and ";"': after(';') };
    },
    risk: 'One delivery has many signatures: caches and logs of seen signatures do not recognize a replay.',
    fix: `${COMPARE} \`Buffer.from(text, 'hex')\` stops at the first other letter.`,
  },
  {
    id: 'timestamp-forms',
    title: 'Timestamps that are not decimal digits, each signed',
    make: (signed, { sign, seconds }) => {
      const at = (timestamp: string) => sign(signed().body, timestamp);
      const now = seconds();
      return {
        'in the form of 1e9': at(`${now / 1e9}e9`),
        'in the form of 0x1f': at(`0x${now.toString(16)}`),
        'with a fraction': at(`${now}.0`),
        'with text after it': at(`${now}abc`),
        'with a plus sign': at(`+${now}`),
        NaN: at('NaN'),
      };
    },
    risk: 'The check of the age reads another number than a person does, and `NaN` passes it: a recorded delivery is fresh forever.',
    fix: 'Check the timestamp against `^[1-9][0-9]*$` before you convert it. `Number`, `parseInt` and `float` take more.',
  },
  {
    id: 'missing-parts',
    title: 'Without the signature, the timestamp, or both',
    make: (signed) => {
      const [one, two, three] = [signed(), signed(), signed()];
      return {
        'without the signature': { ...one, signature: undefined },
        'without the timestamp': { ...two, timestamp: undefined },
        'without both': { body: three.body },
      };
    },
    risk: FORGE,
    fix: 'Answer 403 if either header is missing, before anything else.',
  },
  {
    id: 'empty-parts',
    title: 'With an empty signature, timestamp, or body, the rest signed',
    make: (signed, { sign, seconds }) => ({
      'an empty signature': { ...signed(), signature: '' },
      'an empty timestamp': sign(signed().body, ''),
      'an empty body': sign(bytes(''), String(seconds())),
      'everything empty': sign(bytes(''), ''),
    }),
    risk: 'An empty timestamp skips the check of the age. An empty body can make the handler throw.',
    fix: 'Answer 403 if the body or either header is empty, as the specification says.',
  },
  {
    id: 'repeated-headers',
    title: 'Two signatures, or two timestamps, of which one is right',
    make: (signed) => {
      const [one, two, three, four] = [signed(), signed(), signed(), signed()];
      const wrong = '0'.repeat(64);
      const later = String(Number(three.timestamp) + 1);
      return {
        'the right signature first': { ...one, signature: [one.signature, wrong] },
        'the right signature last': { ...two, signature: [wrong, two.signature] },
        'the right timestamp first': { ...three, timestamp: [three.timestamp, later] },
        'the right timestamp last': { ...four, timestamp: [later, four.timestamp] },
      };
    },
    risk: 'A proxy checks one value and the handler another: what the proxy refuses gets through.',
    fix: 'Refuse a header that occurs twice: take all its lines, and count them.',
  },
];

/** A new authentic request. */
export const signedSample = (bench: Bench, atSeconds = bench.seconds()): Signed =>
  bench.sign(bytesOf([sampleEventEmitted()]), String(atSeconds));
