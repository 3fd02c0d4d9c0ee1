import { bytesOf, type Delivery, hexBytes, type Sign, textOf } from './delivery.js';

/** Makes of a genuine delivery one that is not. */
export type Forge = (delivery: Delivery, sign: Sign) => Delivery | Promise<Delivery>;

const flip = (hexDigit: string) => (hexDigit === '0' ? '1' : '0');

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

const changedBody = (change: (body: Uint8Array) => Uint8Array): Forge => {
  return (delivery) => ({ ...delivery, body: change(delivery.body) });
};

const changedSignature = (change: (signature: string) => string): Forge => {
  return (delivery) => ({ ...delivery, signature: change(delivery.signature) });
};

/** Signed in full, but over a timestamp that is not in canonical form. */
const signedAt = (write: (timestamp: string) => string): Forge => {
  return ({ body, timestamp }, sign) => sign(body, { timestamp: write(timestamp) });
};

/** The signature of something else with the body and the timestamp as they were. */
const signatureOf = (content: (delivery: Delivery) => string | Uint8Array, timestamp?: string): Forge => {
  return async (delivery, sign) => {
    const other = await sign(content(delivery), { timestamp: timestamp ?? delivery.timestamp });
    return { ...delivery, signature: other.signature };
  };
};

/** Each is refused with 403 by a receiver that takes the delivery that it is made of. */
export const FORGERIES: readonly (readonly [title: string, forge: Forge])[] = [
  ['a body changed by one byte', changedBody((body) => bytesOf(textOf(body).replace('Transfer', 'transfer')))],
  [
    'a body changed by one bit of its last byte',
    changedBody((body) => body.map((byte, at) => (at === body.length - 1 ? byte ^ 1 : byte))),
  ],
  ['a body without its last byte', changedBody((body) => body.subarray(0, -1))],
  ['a body without its first byte', changedBody((body) => body.subarray(1))],
  ['a body with a line feed after it', changedBody((body) => bytesOf(body, '\n'))],
  ['a body with a byte order mark before it', changedBody((body) => bytesOf('\ufeff', body))],
  [
    'a body that was parsed and written again',
    changedBody((body) => bytesOf(JSON.stringify(JSON.parse(textOf(body)), null, 1))),
  ],
  ['a signature with its first digit changed', changedSignature((hex) => flip(hex.charAt(0)) + hex.slice(1))],
  ['a signature with its last digit changed', changedSignature((hex) => hex.slice(0, -1) + flip(hex.charAt(63)))],
  ['a signature that is too short', changedSignature((hex) => hex.slice(0, 62))],
  ['a signature that is too long', changedSignature((hex) => `${hex}00`)],
  ['a signature with a tail that is no hex', changedSignature((hex) => `${hex}zz`)],
  ['a signature whose last digits are no hex', changedSignature((hex) => `${hex.slice(0, 62)}zz`)],
  ['a signature with 0x before it', changedSignature((hex) => `0x${hex}`)],
  ['a signature with sha256= before it', changedSignature((hex) => `sha256=${hex}`)],
  ['a signature in base64', changedSignature((hex) => base64(hexBytes(hex)))],
  [
    'a signature under another secret',
    ({ body, timestamp }, sign) => sign(body, { timestamp, secret: 'whsec-of-somebody-else' }),
  ],
  ['a signature of other bytes', signatureOf(() => '[]')],
  ['a signature of the body alone', signatureOf(({ body }) => body, '')],
  ['a signature of the timestamp before the body', signatureOf(({ body, timestamp }) => bytesOf(timestamp, body), '')],
  ['another timestamp', (delivery) => ({ ...delivery, timestamp: String(Number(delivery.timestamp) + 1) })],
  ['a timestamp signed with a zero before it', signedAt((timestamp) => `0${timestamp}`)],
  ['a timestamp signed with a sign', signedAt((timestamp) => `+${timestamp}`)],
  ['a negative timestamp, signed', signedAt(() => '-1')],
  ['a timestamp signed with a fraction', signedAt((timestamp) => `${timestamp}.0`)],
  ['a timestamp signed with an exponent', signedAt((timestamp) => `${timestamp}e0`)],
  ['a timestamp signed in hex', signedAt((timestamp) => `0x${Number(timestamp).toString(16)}`)],
  ['a timestamp signed with 17 digits', signedAt((timestamp) => timestamp.padEnd(17, '0'))],
  [
    'a byte moved from the body to the timestamp',
    ({ body, signature, timestamp }) => ({
      body: body.subarray(0, -1),
      signature,
      timestamp: textOf(body.subarray(-1)) + timestamp,
    }),
  ],
  [
    'all of the body moved to the timestamp',
    ({ body, signature, timestamp }) => ({ body: new Uint8Array(0), signature, timestamp: textOf(body) + timestamp }),
  ],
];

/**
 * Digits moved from the timestamp to the end of the body: one, two, … all of them. The signature holds for each, so what
 * is left must be refused for its form or its age, or end as a body that is no JSON (400): it is never handled.
 */
export function digitsMoved({ body, signature, timestamp }: Delivery): Delivery[] {
  return Array.from(timestamp, (_, at) => ({
    body: bytesOf(body, timestamp.slice(0, at + 1)),
    signature,
    timestamp: timestamp.slice(at + 1),
  }));
}
