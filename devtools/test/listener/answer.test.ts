import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../../test/helpers.js';
import type { AttemptResponse, DeliveryRecord } from '../../src/deliveries/delivery-record.js';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { call } from '../page/call.js';
import { app, listen, signed } from './listening.js';

const text = (response: AttemptResponse | undefined) => Buffer.from(response?.bodyBase64 ?? '', 'base64').toString();

/** A listener that forwards to an app, and the next delivery that it reports. */
async function forwarding(answer: RequestListener) {
  const { target } = await app(answer);
  const { promise, resolve } = deferred<DeliveryRecord>();
  return { ...(await listen({ target, onDelivery: resolve })), reported: promise };
}

describe('the answer of the app', () => {
  it('is reported and kept with the delivery, also when it is sent again', async () => {
    let count = 0;
    const answer: RequestListener = (_, response) => {
      count++;
      response.writeHead(500, { 'X-Powered-By': 'Express' }).end(`Mount the route ${count}`);
    };
    const { url, reported, feed, last, resend } = await forwarding(answer);
    expect(await call(url, signed())).toMatchObject({ status: 500 });
    const { response } = lastOf(await reported);
    expect(text(response)).toBe('Mount the route 1');
    expect(response?.headers).toContainEqual(['X-Powered-By', 'Express']);
    expect(text(last().response)).toBe('Mount the route 1');
    await resend(feed.list()[0] as KeptDelivery);
    expect(feed.get('1')?.attempts.map((each) => text(each.response))).toEqual([
      'Mount the route 1',
      'Mount the route 2',
    ]);
  });

  it('that does not end delays neither the sender nor the report for long', async () => {
    const { url, reported, last } = await forwarding((_, response) => void response.writeHead(200).write('half'));
    expect((await call(url, signed())).status).toBe(200);
    expect(last()).toMatchObject({ status: 200 });
    const { response } = lastOf(await reported);
    expect([text(response), response?.truncated]).toEqual(['half', true]);
  });
});
