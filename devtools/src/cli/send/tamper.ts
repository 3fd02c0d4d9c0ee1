import { randomBytes } from 'node:crypto';
import { signDelivery } from 'event-webhook-receiver/verify';
import { inputError } from '../command-error.js';

/** Ways to tamper with a delivery so that a receiver must refuse it. Each changes one thing; the rest is authentic. */
export const TAMPERS = {
  body: 'one digit of the body changed after signing',
  signature: 'one digit of the signature changed',
  timestamp: 'a timestamp one second after the signed one',
  secret: 'signed with another secret',
  stale: 'signed 50 minutes ago, as in a replay',
  ahead: 'signed for 50 minutes from now',
  unsigned: 'without signature and timestamp',
  truncated: 'half of the signature',
  padded: 'the signature with non-hex letters appended',
  reserialized: 'the same JSON, serialized again after signing',
  seam: 'the first digit of the timestamp moved to the end of the body, which keeps the signature valid',
} as const;

export type TamperName = keyof typeof TAMPERS;
export const tamperNames = Object.keys(TAMPERS) as TamperName[];

/** The signed parts of a delivery and its signature. An undefined header is omitted. */
export interface SignedParts {
  readonly body: Uint8Array;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

/** Signs a body at a time in Unix seconds. */
export function signParts(
  body: Uint8Array,
  secret: string,
  seconds: number,
): SignedParts & Record<'signature' | 'timestamp', string> {
  const { signature, timestamp } = signDelivery(body, { secret, timestamp: seconds });
  return { body, signature, timestamp };
}

type Tamper = (body: Uint8Array, secret: string, seconds: number) => SignedParts;

/** Not an hour, which would look like a clock in another time zone. */
const OFF_SECONDS = 50 * 60;
const text = (body: Uint8Array) => new TextDecoder().decode(body);
const bytes = (value: string) => new TextEncoder().encode(value);

export const tampers: Readonly<Record<TamperName, Tamper>> = {
  body: (body, secret, seconds) => ({ ...signParts(body, secret, seconds), body: changed(body) }),
  signature: (body, secret, seconds) => {
    const parts = signParts(body, secret, seconds);
    return { ...parts, signature: parts.signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) };
  },
  timestamp: (body, secret, seconds) => ({ ...signParts(body, secret, seconds), timestamp: String(seconds + 1) }),
  secret: (body, _secret, seconds) => signParts(body, randomBytes(32).toString('hex'), seconds),
  stale: (body, secret, seconds) => signParts(body, secret, seconds - OFF_SECONDS),
  ahead: (body, secret, seconds) => signParts(body, secret, seconds + OFF_SECONDS),
  unsigned: (body) => ({ body, signature: undefined, timestamp: undefined }),
  truncated: (body, secret, seconds) => {
    const parts = signParts(body, secret, seconds);
    return { ...parts, signature: parts.signature.slice(0, 32) };
  },
  padded: (body, secret, seconds) => {
    const parts = signParts(body, secret, seconds);
    return { ...parts, signature: `${parts.signature}zz` };
  },
  reserialized: (body, secret, seconds) => ({ ...signParts(body, secret, seconds), body: reserialized(body) }),
  seam: (body, secret, seconds) => {
    const { signature, timestamp } = signParts(body, secret, seconds);
    return { body: Buffer.concat([body, bytes(timestamp.slice(0, 1))]), signature, timestamp: timestamp.slice(1) };
  },
};

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
    return bytes(JSON.stringify(JSON.parse(text(body)), null, 2));
  } catch {
    throw inputError('--tamper reserialized needs a JSON body.');
  }
}
