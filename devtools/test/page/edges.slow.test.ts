import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFeed, type FeedOptions, type KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { type ListenerOptions, startListener } from '../../src/listener/listener.js';
import { servePage } from '../../src/page/serve-page.js';
import { SECRET } from '../deliveries/records.js';
import { call, pageHeaders } from './call.js';

async function listen(options: Partial<ListenerOptions> = {}) {
  const feed = createFeed();
  const fixed = { feed, secret: SECRET, headers: serviceHeaders, toleranceSeconds: 300, forwardTimeoutMs: 5_000 };
  const listener = await startListener({ ...fixed, ...options });
  onTestFinished(() => listener.close());
  return { ...listener, feed };
}

const signed = () => {
  const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted()], { secret: SECRET });
  return { method: 'POST', body, headers };
};

async function pageOver(options: FeedOptions) {
  const feed = createFeed(options);
  const state = () => ({ mode: 'listen' as const, title: 'A test', headers: serviceHeaders });
  const page = await servePage({ feed, state, secretOf: () => SECRET });
  onTestFinished(() => page.close());
  return { ...page, feed };
}

describe('a listener', () => {
  it('that fails itself answers 500, so that the sender tries again', async () => {
    const now = () => {
      throw new Error('no clock');
    };
    const { url, feed } = await listen({ now });
    expect((await call(url, signed())).status).toBe(500);
    expect(feed.list()).toEqual([]);
  });

  it('sends no more than a hundred deliveries on at once: others are to come again', async () => {
    const waiting: (() => void)[] = [];
    let wake = () => {};
    const target = createServer((request, response) => {
      request.resume();
      waiting.push(() => response.end());
      wake();
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    onTestFinished(() => void target.close());
    const { port } = target.address() as AddressInfo;
    const { url, feed } = await listen({ target: new URL(`http://127.0.0.1:${port}/`), forwardTimeoutMs: 60_000 });
    const first = Array.from({ length: 100 }, () => call(url, signed()));
    while (waiting.length < 100) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const late = await call(url, signed());
    expect([late.status, late.headers['retry-after']]).toEqual([503, '5']);
    expect(lastOf(feed.get('101') as KeptDelivery).code).toBe('ERR_WEBHOOK_OVERLOADED');
    for (const answer of waiting) answer();
    expect((await Promise.all(first)).every(({ status }) => status === 200)).toBe(true);
  });
});

describe('the page', () => {
  it('refuses requests without a Host header, and calls without a Content-Type', async () => {
    const { url, token } = await pageOver({});
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.end('GET / HTTP/1.0\r\n\r\n');
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 421 /);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await call(`${url}api/deliveries`, { method: 'DELETE', headers })).status).toBe(415);
  });

  it.each(['', 'UPPER', 'state/1/2/3', 'deliveries//'])('has no call /api/%s', async (path) => {
    const { url, token } = await pageOver({});
    expect((await call(`${url}api/${path}`, { headers: pageHeaders(token) })).status).toBe(404);
  });
});
