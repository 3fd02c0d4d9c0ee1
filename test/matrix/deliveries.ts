import { createHmac } from 'node:crypto';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { type Delivery, type HeaderList, headersOf, SECRET, type SignSettings, TIMESTAMP } from './cases/delivery.js';
import { head } from './wire.js';

export { type Delivery, headersOf, SECRET, TIMESTAMP };

/** A clock that shows the time of the deliveries. */
export const now = () => Number(TIMESTAMP) * 1000;

/** A delivery whose body is a Buffer. */
export type SignedDelivery = Delivery & { readonly body: Buffer };

/** Signs with node:crypto and nothing of the library, so that signing and verifying cannot share a mistake. */
export function sign(
  content: string | Uint8Array,
  { timestamp = TIMESTAMP, secret = SECRET }: SignSettings = {},
): SignedDelivery {
  const body = Buffer.from(content);
  const signed = Buffer.concat([body, Buffer.from(timestamp)]);
  return { body, timestamp, signature: createHmac('sha256', secret).update(signed).digest('hex') };
}

/** A genuine delivery of these events; of one `event.emitted` with a new id when none is given. */
export function genuine(...events: readonly unknown[]): SignedDelivery {
  return sign(JSON.stringify(events.length > 0 ? events : [sampleEventEmitted()]));
}

/** A genuine delivery of one event whose body has about this many bytes. */
export function genuineOfSize(bytes: number): SignedDelivery {
  return genuine(sampleEventEmitted({ data: { event: { rawFields: 'x'.repeat(bytes) } } }));
}

/** The delivery as a request of Fetch; with another body, or none. */
export function fetchRequest(
  delivery: Delivery = genuine(),
  { url = 'http://localhost/webhooks', body = delivery.body as RequestInit['body'] } = {},
): Request {
  const headers = headersOf(delivery).map(([name, value]): [string, string] => [name, value]);
  return new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
}

/** A whole request with the Content-Length of its body. */
export function framed(delivery: Delivery, headers: HeaderList = headersOf(delivery)): Buffer {
  return Buffer.concat([head([...headers, ['Content-Length', String(delivery.body.length)]]), delivery.body]);
}
