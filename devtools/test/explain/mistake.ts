import { createHash } from 'node:crypto';
import type { ExplainFailureOptions } from '../../src/explain/index.js';
import { type Delivery, NOW, sign } from './deliveries.js';

/** What a receiver got, where a part may be of a type that it should not be. */
export type Received = { readonly [K in keyof ExplainFailureOptions]?: unknown };

/** A mistake that is made in practice, and the cause that is to be named first. */
export interface Mistake {
  readonly title: string;
  readonly cause: string;
  readonly make: (delivery: Delivery) => Received;
}

export const seconds = (delivery: Delivery) => Number(delivery.timestamp);
export const iso = (delivery: Delivery) => new Date(seconds(delivery) * 1000).toISOString();
export const parsed = (delivery: Delivery): unknown => JSON.parse(delivery.body);
export const bytes = (text: string) => Buffer.from(text);

/** Mistakes in one part of what was received. */
const inPart =
  (part: keyof Received) =>
  (title: string, cause: string, value: (delivery: Delivery) => unknown): Mistake => ({
    ...{ title, cause },
    make: (delivery) => ({ [part]: value(delivery) }),
  });
/** A body that was received in another form than it was sent in. */
export const body = inPart('rawBody');
/** A receiver that is configured with something else than the secret. */
export const configured = inPart('secret');
export const stamped = inPart('timestamp');
export const header = inPart('signature');
/** A signer that puts the message together in another way. */
export const signedAs = header;

/** A delivery whose sender signed and sent other bytes than our receiver makes of them. */
export const sentBody = (
  title: string,
  cause: string,
  sent: (delivery: Delivery) => string,
  received: (sent: string) => unknown,
): Mistake => ({
  title,
  cause,
  make(delivery) {
    const text = sent(delivery);
    return { rawBody: received(text), signature: sign(delivery.secret, text, delivery.timestamp) };
  },
});

/** A signer that uses another key. */
export const signedWith = (
  title: string,
  cause: string,
  key: (secret: string) => string | Uint8Array,
  secret?: (delivery: Delivery) => string,
): Mistake => ({
  title,
  cause,
  make(delivery) {
    const ours = secret?.(delivery) ?? delivery.secret;
    return { secret: ours, signature: sign(key(ours), delivery.body, delivery.timestamp) };
  },
});

export const clock = (title: string, cause: string, offset: number): Mistake => ({
  title,
  cause,
  make: (delivery) => ({ now: (seconds(delivery) + offset) * 1000 }),
});

export const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sortKeys(each)]),
  );
};
/** With escapes of everything beyond ASCII, as Python (with white space) and PHP (with escaped slashes) write it. */
const asAscii = (value: unknown, comma: string, colon: string): string => {
  const write = (each: unknown) => asAscii(each, comma, colon);
  if (Array.isArray(value)) return `[${value.map(write).join(comma)}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, each]) => `${write(key)}${colon}${write(each)}`);
    return `{${members.join(comma)}}`;
  }
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
};
export const asPython = (value: unknown) => asAscii(value, ', ', ': ');
export const asPhp = (value: unknown) => asAscii(value, ',', ':').replace(/\//g, '\\/');
export const html = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
export const hexSecret = ({ secret }: Delivery) => createHash('sha256').update(secret).digest('hex');
export const base64Secret = ({ secret }: Delivery) => createHash('sha256').update(secret).digest('base64');
export const other = ({ secret }: Delivery) => createHash('md5').update(secret).digest('hex');

export const receivedWith = (mistake: Mistake, delivery: Delivery): Received => ({
  rawBody: delivery.body,
  signature: delivery.signature,
  timestamp: delivery.timestamp,
  secret: delivery.secret,
  now: NOW,
  ...mistake.make(delivery),
});
