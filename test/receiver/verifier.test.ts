import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createVerifier, type VerifierOptions } from '../../src/index.js';
import { event, seconds, secret, signed } from '../helpers.js';

const now = () => seconds * 1000;
const forged = { ...signed([event('a')]), signature: '0'.repeat(64) };

/** A verifier that notes what it reports. */
function noting(options: Partial<VerifierOptions> = {}) {
  const codes: string[] = [];
  const lines: unknown[] = [];
  const log = (level: string) => (fields: object, message: string) => lines.push([level, message, fields]);
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const onError = ({ code }: { code: string }) => codes.push(code);
  return { verifier: createVerifier({ secret, now, logger, onError, ...options }), codes, lines };
}

describe('a verifier', () => {
  it('gives an authentic delivery, parsed, and logs it', async () => {
    const { verifier, codes, lines } = noting({ secret: () => ({ secret, source: 'acme' }) });
    const delivery = signed([event('a'), {}]);
    const verification = await verifier.verify(delivery);
    expect(verification.refusal).toBeUndefined();
    expect(verification.delivery).toMatchObject({ rawBody: delivery.rawBody, source: 'acme' });
    expect(verification.delivery?.items.map(({ status }) => status)).toEqual(['event', 'invalid']);
    expect(codes).toEqual([]);
    expect(lines).toEqual([['info', 'Delivery verified.', { items: 2 }]]);
    const headers = new Map([
      ['x-service-signature', delivery.signature],
      ['x-service-timestamp', delivery.timestamp],
    ]);
    const request = { method: 'POST', header: (name: string) => headers.get(name), rawBody: () => delivery.rawBody };
    expect(await verifier.verifyRequest(request)).toEqual(verification);
  });

  it('gives the answer to refuse with, and reports it', async () => {
    const { verifier, codes, lines } = noting();
    const { delivery, refusal } = await verifier.verify(forged);
    expect(delivery).toBeUndefined();
    expect(refusal).toMatchObject({ status: 403, outcomes: [], error: { code: 'ERR_WEBHOOK_SIGNATURE' } });
    expect(codes).toEqual(['ERR_WEBHOOK_SIGNATURE']);
    const fields = { err: expect.objectContaining({ code: 'ERR_WEBHOOK_SIGNATURE' }) };
    expect(lines).toStrictEqual([['warn', expect.stringContaining('Signature mismatch'), fields]]);
  });

  it('does not deduplicate, and takes any number of deliveries at once', async () => {
    const { verifier } = noting({ maxArriving: 2000 });
    const delivery = signed([event('a')]);
    const verifications = await Promise.all(Array.from({ length: 1001 }, () => verifier.verify(delivery)));
    expect(verifications.every((verification) => verification.delivery !== undefined)).toBe(true);
  });

  it('publishes deliveries as a receiver does: refused ones with their result, others without', async () => {
    const seen: unknown[] = [];
    const channel = tracingChannel<unknown, { result?: { status: number } }>('event-webhook-receiver:delivery');
    const handlers = { asyncEnd: ({ result }: { result?: { status: number } }) => seen.push(result?.status) };
    channel.subscribe(handlers as never);
    onTestFinished(() => void channel.unsubscribe(handlers as never));
    const { verifier } = noting();
    await verifier.verify(forged);
    await verifier.verify(signed([]));
    expect(seen).toEqual([403, undefined]);
  });
});
