import { randomBytes } from 'node:crypto';
import { signDelivery } from 'event-webhook-receiver/verify';
import { inputError } from '../command-error.js';

/** The signed parts of a delivery and its signature. An undefined header is omitted. */
export interface SignedParts {
  readonly body: Uint8Array;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

/** The parts of an authentic delivery. */
type Parts = SignedParts & Record<'signature' | 'timestamp', string>;

/** Signs a body at a time in Unix seconds. */
export function signParts(body: Uint8Array, secret: string, seconds: number): Parts {
  const { signature, timestamp } = signDelivery(body, { secret, timestamp: seconds });
  return { body, signature, timestamp };
}

/** The changed parts of an authentic delivery. `sign` signs the body at a time relative to now, in seconds. */
type Change = (parts: Parts, sign: (offset: number, secret?: string) => Parts) => Partial<SignedParts>;

/** Not an hour, which would look like a clock in another time zone. */
const OFF_SECONDS = 50 * 60;
const bytes = (value: string) => new TextEncoder().encode(value);

/** Ways to tamper with a delivery so that a receiver must refuse it. Each changes one thing; the rest is authentic. */
const WAYS = {
  body: ['one digit of the body changed after signing', ({ body }) => ({ body: changed(body) })],
  signature: [
    'one digit of the signature changed',
    ({ signature }) => ({ signature: signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) }),
  ],
  timestamp: [
    'a timestamp one second after the signed one',
    ({ timestamp }) => ({ timestamp: String(Number(timestamp) + 1) }),
  ],
  secret: ['signed with another secret', (_, sign) => sign(0, randomBytes(32).toString('hex'))],
  stale: ['signed 50 minutes ago, as in a replay', (_, sign) => sign(-OFF_SECONDS)],
  ahead: ['signed for 50 minutes from now', (_, sign) => sign(OFF_SECONDS)],
  unsigned: ['without signature and timestamp', () => ({ signature: undefined, timestamp: undefined })],
  truncated: ['half of the signature', ({ signature }) => ({ signature: signature.slice(0, 32) })],
  padded: ['the signature with non-hex letters appended', ({ signature }) => ({ signature: `${signature}zz` })],
  reserialized: ['the same JSON, serialized again after signing', ({ body }) => ({ body: reserialized(body) })],
  seam: [
    'the first digit of the timestamp moved to the end of the body, which keeps the signature valid',
    ({ body, timestamp }) => ({
      body: Buffer.concat([body, bytes(timestamp.slice(0, 1))]),
      timestamp: timestamp.slice(1),
    }),
  ],
} as const satisfies Readonly<Record<string, readonly [what: string, change: Change]>>;

export type TamperName = keyof typeof WAYS;
export const tamperNames = Object.keys(WAYS) as TamperName[];
/** Each way with its description. */
export const tamperRows = Object.entries(WAYS).map(([name, [what]]) => [name, what] as const);

/** Signs a body at a time in Unix seconds, and tampers with the result. */
export function tampered(how: TamperName, body: Uint8Array, secret: string, seconds: number): SignedParts {
  const parts = signParts(body, secret, seconds);
  const change: Change = WAYS[how][1];
  return { ...parts, ...change(parts, (offset, other = secret) => signParts(body, other, seconds + offset)) };
}

/** Changes one digit. The JSON stays valid, so that a receiver that does not verify accepts it. */
function changed(body: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(body);
  const isDigit = (code: number | undefined) => code !== undefined && code >= 48 && code <= 57;
  // Not the first digit of a number, which must not become zero.
  const at = copy.findLastIndex((code, index) => isDigit(code) && isDigit(copy[index - 1]));
  if (at < 0) return Buffer.concat([copy, bytes(' ')]);
  copy[at] = 48 + (((copy[at] as number) - 47) % 10);
  return copy;
}

function reserialized(body: Uint8Array): Uint8Array {
  try {
    return bytes(JSON.stringify(JSON.parse(new TextDecoder().decode(body)), null, 2));
  } catch {
    throw inputError('--tamper reserialized needs a JSON body.');
  }
}
