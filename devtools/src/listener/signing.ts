import { type HeaderNames, signDelivery, verifySignature } from 'event-webhook-receiver/verify';
import type { Attempt, DeliveryRecord, HeaderLine } from '../deliveries/delivery-record.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { headerOf } from '../deliveries/headers.js';
import { lastOf } from '../deliveries/views.js';
import { HttpError } from '../http.js';
import type { BodyToSend } from '../page/page-actions.js';
import { answerOf, type Forwarded } from './forward.js';

/** Settings for signing deliveries. */
export interface SigningOptions {
  readonly feed: Feed;
  readonly secret: string;
  readonly headers: HeaderNames;
  readonly now: () => number;
  /** The id of a new delivery. */
  nextId(): string;
  /** Sends a delivery to the target. Never rejects. */
  handOn(path: string, headers: readonly HeaderLine[], body: Uint8Array): Promise<Forwarded>;
  /** Called with every new delivery, which resolves when it has been answered. */
  onSent(delivery: Promise<DeliveryRecord>): void;
}

export type Signing = ReturnType<typeof createSigning>;

/** Replaces an attempt of a delivery, which may have been resent meanwhile, unless the feed no longer has the attempt. */
export function replaceAttempt(feed: Feed, id: string, before: Attempt, after: Attempt): void {
  const record = feed.get(id);
  const at = record?.attempts.indexOf(before) ?? -1;
  if (record && at >= 0) feed.put({ ...record, attempts: record.attempts.with(at, after) });
}

/** Sends deliveries to the target with a new signature. */
export function createSigning(options: SigningOptions) {
  const { feed, secret, headers: names, now, handOn } = options;

  function checkAuthentic(record: KeptDelivery): void {
    const value = (name: string) => headerOf(lastOf(record).headers, name) ?? '';
    if (verifySignature(record.rawBody, value(names.signature), value(names.timestamp), secret)) return;
    throw new HttpError(409, 'This delivery is not authentic, so it is not signed and forwarded.');
  }

  /** The headers, with those that depend on body and time replaced. */
  function signed(lines: readonly HeaderLine[], body: Uint8Array, at: number): HeaderLine[] {
    const { signature, timestamp } = signDelivery(body, { secret, timestamp: Math.floor(at / 1000), headers: names });
    const values = new Map([
      [names.signature.toLowerCase(), signature],
      [names.timestamp.toLowerCase(), timestamp],
      ['content-length', String(body.byteLength)],
    ]);
    return lines.map(([name, value]): HeaderLine => [name, values.get(name.toLowerCase()) ?? value]);
  }

  /** Sends the pending attempt of a delivery and replaces it by the answered one. Resolves with the delivery. */
  async function carryOut(record: DeliveryRecord, pending: Attempt): Promise<DeliveryRecord> {
    const forwarded = await handOn(record.target, pending.headers, record.rawBody);
    const { durationMs } = forwarded;
    const response = await forwarded.response;
    const done = { ...pending, ...answerOf(forwarded), durationMs, ...(response && { response }) };
    replaceAttempt(feed, record.id, pending, done);
    return { ...record, attempts: record.attempts.with(-1, done) };
  }

  return {
    /**
     * Sends a delivery again: the same bytes with a new timestamp and signature. Throws HttpError for a delivery that is
     * not authentic, because the new signature would make it authentic.
     */
    async resend(record: KeptDelivery): Promise<{ id: string }> {
      if (record.bodyDropped) throw new HttpError(409, 'The bytes of this delivery are no longer kept.');
      checkAuthentic(record);
      const at = now();
      const pending: Attempt = { at, headers: signed(lastOf(record).headers, record.rawBody, at) };
      const whole = { ...record, attempts: [...record.attempts, pending] };
      feed.put(whole);
      await carryOut(whole, pending);
      return { id: record.id };
    },
    /** Sends a body as a new delivery, with the headers of the edited one. Throws HttpError if that one is not authentic. */
    send({ rawBody, from }: BodyToSend): { id: string } {
      // Its bytes may no longer be kept.
      if (!from.verified) checkAuthentic(from);
      const at = now();
      const pending: Attempt = { at, headers: signed(lastOf(from).headers, rawBody, at) };
      const id = options.nextId();
      const record = { id, target: from.target, rawBody, verified: true, attempts: [pending] };
      feed.put(record);
      options.onSent(carryOut(record, pending));
      return { id };
    },
  };
}
