import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { verifySignature } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { call } from '../page/call.js';
import { closedUrl } from '../servers.js';
import { app, listen, SECRET, signed } from './listening.js';

describe('resend', () => {
  it('sends the same bytes with a new signature, and keeps both attempts', async () => {
    const { target, got } = await app();
    const { url, feed, resend } = await listen({ target });
    const now = Math.floor(Date.now() / 1000);
    const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted()], {
      secret: SECRET,
      timestamp: now - 200,
    });
    await call(url, { method: 'POST', body, headers: { ...headers, 'X-Mine': '1' } });
    expect(await resend(feed.list()[0] as KeptDelivery)).toEqual({ id: '1' });
    const [first, second] = got;
    expect(second?.body.equals(first?.body as Buffer)).toBe(true);
    const value = (name: string) => second?.headers[second.headers.indexOf(name) + 1] ?? '';
    expect(Number(value('X-Service-Timestamp'))).toBeGreaterThanOrEqual(now);
    expect(verifySignature(body, value('X-Service-Signature'), value('X-Service-Timestamp'), SECRET)).toBe(true);
    expect(value('X-Mine')).toBe('1');
    expect(feed.list()).toHaveLength(1);
    expect(feed.get('1')?.attempts.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('reports dropped bytes, and a target that is down', async () => {
    const { url, feed, resend } = await listen({ target: new URL(await closedUrl()) });
    await call(url, signed());
    const record = feed.list()[0] as KeptDelivery;
    await expect(resend({ ...record, bodyDropped: true })).rejects.toMatchObject({ status: 409 });
    await resend(record);
    expect(feed.get('1')?.attempts.map(({ status, code }) => [status, code])).toEqual([
      [503, 'ECONNREFUSED'],
      [503, 'ECONNREFUSED'],
    ]);
  });

  it('refuses to sign a delivery that was not authentic', async () => {
    const { target, got } = await app();
    const { url, feed, resend } = await listen({ target });
    await call(url, signed(undefined, 'whsec-of-somebody-else'));
    await call(url, { method: 'POST', body: '[]' });
    for (const record of feed.list()) await expect(resend(record)).rejects.toMatchObject({ status: 409 });
    expect(got).toEqual([]);
  });
});
