import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import { retryAfterMs, retryDelay } from '../../src/service/retry.js';
import { listening, pair } from './receivers.js';
import { serving } from './service.js';

const limits = { initialDelayMs: 1000, maxDelayMs: 60_000 };
const now = Date.parse('2026-01-02T03:04:05Z');

describe('retryDelay', () => {
  it('doubles up to the limit, the half of it by chance', () => {
    const delays = (random: number) => [1, 2, 3, 6, 7, 8, 1000].map((n) => retryDelay(n, limits, () => random));
    expect(delays(0)).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
    expect(delays(1)).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('waits as long as it is asked to, but never longer than the limit', () => {
    expect(retryDelay(1, limits, () => 0, 20_000)).toBe(20_000);
    expect(retryDelay(1, limits, () => 0, 86_400_000)).toBe(60_000);
    expect(retryDelay(8, limits, () => 1, 1000)).toBe(60_000);
  });
});

describe('retryAfterMs', () => {
  it.each([
    [undefined, 0],
    ['0', 0],
    ['7', 7000],
    ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
    ['Fri, 02 Jan 2026 03:04:04 GMT', 0],
    ['-1', 0],
    ['1.5', 0],
    ['soon', 0],
    ['', 0],
    ['9'.repeat(400), 0],
  ])('reads %j as %i ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe('a delivery that fails', () => {
  it('is sent again, signed afresh, until it is answered 2xx', async () => {
    let time = now;
    let failures = 2;
    const onEvent = () => {
      if (failures-- > 0) throw new Error('not yet');
    };
    const { service, changes } = await pair({ now: () => (time += 1000) }, { toleranceSeconds: false, onEvent });
    service.emit([event('a')]);
    await service.idle();
    const { attempts, state } = changes.at(-1) ?? { attempts: [] };
    expect(state).toBe('delivered');
    expect(attempts.map(({ status }) => status)).toEqual([500, 500, 200]);
    const headers = attempts.map((attempt) => Object.fromEntries(attempt.headers));
    expect(new Set(headers.map((each) => each['X-Service-Timestamp'])).size).toBe(3);
    expect(new Set(headers.map((each) => each['X-Service-Signature'])).size).toBe(3);
  });

  it('is given up after so many attempts, and is undelivered in the log', async () => {
    const { service, changes, call } = await serving();
    let requests = 0;
    const { url } = await listening((_request, response) => response.writeHead(++requests > 3 ? 200 : 404).end());
    service.register({ label: 'mine', url });
    service.emit([event('a')]);
    service.emit([event('b')]);
    await service.idle();
    expect(
      changes.filter(({ state }) => state === 'given-up').map(({ id, attempts }) => [id, attempts.length]),
    ).toEqual([['1', 3]]);
    const log = (await call('GET', '/1/events')).result as { deliveredAt?: string }[];
    expect(log.map(({ deliveredAt }) => deliveredAt !== undefined)).toEqual([false, true]);
  });
});

describe('redeliver', () => {
  it('sends the same bytes again, which a receiver takes for a duplicate', async () => {
    const { service, changes, receiver } = await pair();
    service.emit([event('a')]);
    await service.idle();
    expect(service.redeliver('1')).toBe(true);
    await service.idle();
    expect(changes.at(-1)?.attempts.map(({ status }) => status)).toEqual([200, 200]);
    expect([receiver.ids(), receiver.refused]).toEqual([['a'], []]);
  });

  it('retries a delivery that was given up', async () => {
    const { service, changes } = await serving({ retries: { attempts: 2, initialDelayMs: 1 } });
    let requests = 0;
    const { url } = await listening((_request, response) => response.writeHead(++requests > 3 ? 200 : 500).end());
    service.register({ label: 'mine', url });
    service.emit([event('a')]);
    await service.idle();
    expect(changes.at(-1)?.state).toBe('given-up');
    expect(service.webhooks()).toMatchObject([{ failedCalls: 2 }]);
    service.redeliver('1');
    await service.idle();
    expect(changes.at(-1)?.state).toBe('delivered');
    expect(changes.at(-1)?.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 200]);
  });

  it.each(['2', '0', '01', '1.0', '', 'x', '__proto__'])('knows no delivery %j', async (id) => {
    const { service } = await pair();
    service.emit([event('a')]);
    expect(service.redeliver(id)).toBe(false);
  });
});
