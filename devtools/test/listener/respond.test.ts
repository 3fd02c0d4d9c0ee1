import { describe, expect, it } from 'vitest';
import { call } from '../page/call.js';
import { app, listen, signed } from './listening.js';

describe('a forced answer', () => {
  it('is given to authentic deliveries, which are not forwarded', async () => {
    const { target, got } = await app();
    const { url, feed, last } = await listen({ target, respond: 503 });
    const answer = await call(url, signed());
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(last()).toMatchObject({ status: 503, code: 'FORCED', reason: 'The answer 503 was forced.' });
    expect(feed.list()[0]?.verified).toBe(true);
    expect((await call(url, signed(undefined, 'whsec-of-somebody-else'))).status).toBe(403);
    expect(got).toEqual([]);
  });

  it('can be set, changed and ended while it listens', async () => {
    const listener = await listen();
    const statuses = [];
    for (const status of [undefined, 500, 202, undefined]) {
      listener.respond = status;
      const { status: answered, headers } = await call(listener.url, signed());
      statuses.push([listener.respond, answered, headers['retry-after']]);
    }
    expect(statuses).toEqual([
      [undefined, 200, undefined],
      [500, 500, undefined],
      [202, 202, undefined],
      [undefined, 200, undefined],
    ]);
  });
});
