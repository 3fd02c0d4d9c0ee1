import { describe, expect, it } from 'vitest';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { call } from '../page/call.js';
import { serve } from '../servers.js';
import { listen, signed } from './listening.js';

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
    const target = await serve((request, response) => {
      request.resume();
      waiting.push(() => response.end());
      wake();
    });
    const { url, feed } = await listen({ target: new URL(target), forwardTimeoutMs: 60_000 });
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
