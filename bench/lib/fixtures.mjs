import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded, signDelivery } from './ours.mjs';

export const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhbGwgYmVuY2htYXJrcyBoZXJl';

const SAMPLES = { 'event.emitted': sampleEventEmitted, 'transaction.included': sampleTransactionIncluded };

/** The body of a delivery of so many events of one kind, as bytes. */
export function bodyOf(kind, count) {
  const events = Array.from({ length: count }, () => SAMPLES[kind]());
  return Buffer.from(createTestDelivery(events, { secret: SECRET }).rawBody);
}

/** Signed bytes of exactly this size: what they say does not matter to a signature. */
export function signedBytes(size) {
  const one = bodyOf('event.emitted', 1);
  const body = Buffer.alloc(size, one);
  return signDelivery(body, { secret: SECRET });
}

// Most of the time of making a sample goes into what all of them share, so the text around the ids is made once.
const [HEAD, TAIL] = bodyOf('event.emitted', 1)
  .toString()
  .slice(1, -1)
  .split(/(?<=^\{"id":")[^"]+/);

/** A signed delivery of so many `event.emitted`, each with an id that was never given before. */
export function freshDelivery(count) {
  const events = Array.from({ length: count }, () => HEAD + crypto.randomUUID() + TAIL);
  return signDelivery(Buffer.from(`[${events.join()}]`), { secret: SECRET });
}
