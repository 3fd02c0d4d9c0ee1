import { verifySignature } from 'event-webhook-receiver/verify';
import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../test/helpers.js';
import type { DeliveryRecord } from '../../src/deliveries/delivery-record.js';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { kept } from '../deliveries/records.js';
import { call } from '../page/call.js';
import { app, listen, SECRET, signed } from './listening.js';

const rawBody = new TextEncoder().encode('[{"edited": true}]');

/** The delivery whose body was edited. */
const edited = () => kept('0', { verified: true });

describe('send', () => {
  it('sends a body to the target with a new signature, as a new delivery', async () => {
    const { target, got } = await app((_, response) => response.writeHead(422).end('edited'));
    const { promise, resolve } = deferred<[DeliveryRecord, object]>();
    const { feed, send, last } = await listen({ target, onDelivery: (...about) => resolve(about) });
    const from = edited();
    expect(send({ rawBody, from })).toEqual({ id: '1' });
    const pending = feed.get('1') as KeptDelivery;
    expect([pending.target, pending.verified, lastOf(pending).status]).toEqual([from.target, true, undefined]);
    const [record, about] = await promise;
    expect(about).toEqual({ method: 'POST', path: from.target });
    expect(record).toMatchObject({ id: '1', attempts: [{ status: 422, durationMs: expect.any(Number) }] });
    expect(Buffer.from(last().response?.bodyBase64 ?? '', 'base64').toString()).toBe('edited');
    const [{ body, headers }] = got as [(typeof got)[0]];
    const value = (name: string) => headers[headers.indexOf(name) + 1] ?? '';
    expect(body.toString()).toBe('[{"edited": true}]');
    expect(verifySignature(body, value('X-Service-Signature'), value('X-Service-Timestamp'), SECRET)).toBe(true);
    expect([value('Content-Type'), value('Content-Length')]).toEqual(['application/json', '18']);
  });

  it('refuses to sign what was edited from a delivery that is not authentic', async () => {
    const { target, got } = await app();
    const { url, feed, send } = await listen({ target });
    await call(url, signed(undefined, 'whsec-of-somebody-else'));
    const from = feed.get('1') as KeptDelivery;
    expect(() => send({ rawBody, from })).toThrow(expect.objectContaining({ status: 409 }));
    expect([got, feed.list().length]).toEqual([[], 1]);
  });

  it('accepts an authentic delivery of a recording', async () => {
    const { target } = await app();
    const { url, feed, send, last } = await listen({ target });
    await call(url, signed());
    const from = { ...(feed.get('1') as KeptDelivery), verified: false, recorded: true as const };
    send({ rawBody, from });
    await vi.waitFor(() => expect([feed.list().length, last().status]).toEqual([2, 200]));
  });

  it('settles when the listener is closed before the target responds', async () => {
    const { promise: asked, resolve } = deferred<void>();
    const { target } = await app(() => resolve());
    const told: DeliveryRecord[] = [];
    const { send, close } = await listen({
      ...{ target, forwardTimeoutMs: 600_000 },
      onDelivery: (record) => void told.push(record),
    });
    send({ rawBody, from: edited() });
    await asked;
    await close();
    expect(told).toMatchObject([{ attempts: [{ status: 503 }] }]);
  });
});
