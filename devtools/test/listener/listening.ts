import type { RequestListener } from 'node:http';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { onTestFinished } from 'vitest';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { type ListenerOptions, startListener } from '../../src/listener/listener.js';
import { serve } from '../servers.js';

export const SECRET = 'whsec-of-the-listener';
export const signed = (events: readonly unknown[] = [sampleEventEmitted()], secret = SECRET) => {
  const { rawBody: body, headers } = createTestDelivery(events, { secret });
  return { method: 'POST', body, headers };
};

export async function listen(options: Partial<ListenerOptions> = {}) {
  const feed = createFeed();
  const fixed = { feed, secret: SECRET, headers: serviceHeaders, forwardTimeoutMs: 5_000 };
  const listener = await startListener({ ...fixed, ...options });
  onTestFinished(() => listener.close());
  const last = () => lastOf(feed.list().at(-1) as KeptDelivery);
  return Object.assign(listener, { feed, last });
}

/** An app on a free port, and what it got. */
export async function app(answer: RequestListener = (_, response) => response.writeHead(200).end()) {
  const got: { url: string; headers: string[]; body: Buffer }[] = [];
  const url = await serve(async (request, response) => {
    got.push({ url: request.url ?? '', headers: request.rawHeaders, body: Buffer.concat(await request.toArray()) });
    answer(request, response);
  });
  const target = new URL('/hooks?a=1', url);
  return { target, got, host: target.host };
}
