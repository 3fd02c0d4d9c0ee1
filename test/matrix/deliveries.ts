import { createHmac } from 'node:crypto';
import { type HeaderNames, serviceHeaders } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing.js';
import { type HeaderList, head } from './wire.js';

export const SECRET = 'whsec-matrix';
export const TIMESTAMP = '1700000000';

export interface Delivery {
  readonly body: Buffer;
  readonly signature: string;
  readonly timestamp: string;
}

/** Signs with node:crypto and nothing of the library, so that signing and verifying cannot share a mistake. */
export function sign(content: string | Uint8Array, { timestamp = TIMESTAMP, secret = SECRET } = {}): Delivery {
  const body = Buffer.from(content);
  const signed = Buffer.concat([body, Buffer.from(timestamp)]);
  return { body, timestamp, signature: createHmac('sha256', secret).update(signed).digest('hex') };
}

/** A genuine delivery of these events; of one `event.emitted` with a new id when none is given. */
export function genuine(...events: readonly unknown[]): Delivery {
  return sign(JSON.stringify(events.length > 0 ? events : [sampleEventEmitted()]));
}

/** A genuine delivery of one event whose body has about this many bytes. */
export function genuineOfSize(bytes: number): Delivery {
  return genuine(sampleEventEmitted({ data: { event: { rawFields: 'x'.repeat(bytes) } } }));
}

/** The headers of a delivery without what says how long it is. */
export function headersOf(
  { signature, timestamp }: Pick<Delivery, 'signature' | 'timestamp'>,
  names: HeaderNames = serviceHeaders,
): HeaderList {
  return [
    ['Content-Type', 'application/json'],
    [names.signature, signature],
    [names.timestamp, timestamp],
  ];
}

/** A whole request with the Content-Length of its body. */
export function framed(delivery: Delivery, headers: HeaderList = headersOf(delivery)): Buffer {
  return Buffer.concat([head([...headers, ['Content-Length', String(delivery.body.length)]]), delivery.body]);
}
