import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import { retryAfterMs, retryDelay } from '../../src/service/retry.js';
import { listening, receiving } from './receivers.js';
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
    const { service, changes } = await serving({ now: () => (time += 1000) });
    const receiver = await receiving({
      toleranceSeconds: false,
      onEvent: () => {
        if (failures-- > 0) throw new Error('not yet');
      },
    });
    receiver.setSecret(service.register({ label: 'mine', url: receiver.url }).secret);
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

  it('holds back what comes after it, for its webhook and for no other', async () => {
    const { service, changed } = await serving({ retries: { initialDelayMs: 60_000, maxDelayMs: 60_000 } });
    const failing = await listening((_request, response) => response.writeHead(500).end());
    const working = await receiving();
    service.register({ label: 'failing', url: failing.url });
    working.setSecret(service.register({ label: 'working', url: working.url }).secret);
    service.emit([event('a')]);
    service.emit([event('b')]);
    await changed(({ label, rawBody, state }) => {
      return label === 'working' && String(Buffer.from(rawBody)).includes('"b"') && state === 'delivered';
    });
    await changed(({ label, nextAttemptAt }) => label === 'failing' && nextAttemptAt !== undefined);
    expect(working.ids()).toEqual(['a', 'b']);
    expect(service.webhooks()).toMatchObject([{ failedCalls: 1 }, { failedCalls: 0 }]);
  });
});

describe('redeliver', () => {
  it('sends the same bytes again, which a receiver takes for a duplicate', async () => {
    const { service, changes } = await serving();
    const outcomes: (number | undefined)[] = [];
    const receiver = await receiving();
    receiver.setSecret(service.register({ label: 'mine', url: receiver.url }).secret);
    service.emit([event('a')]);
    await service.idle();
    expect(service.redeliver('1')).toBe(true);
    await service.idle();
    for (const { status } of changes.at(-1)?.attempts ?? []) outcomes.push(status);
    expect(outcomes).toEqual([200, 200]);
    expect(receiver.ids()).toEqual(['a']);
    expect(receiver.refused).toEqual([]);
  });

  it('retries a delivery that was given up', async () => {
    const { service, changes } = await serving({ retries: { attempts: 2, initialDelayMs: 1 } });
    let requests = 0;
    const { url } = await listening((_request, response) => response.writeHead(++requests > 3 ? 200 : 500).end());
    service.register({ label: 'mine', url });
    service.emit([event('a')]);
    await service.idle();
    expect(changes.at(-1)?.state).toBe('given-up');
    service.redeliver('1');
    await service.idle();
    expect(changes.at(-1)?.state).toBe('delivered');
    expect(changes.at(-1)?.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 200]);
  });

  it.each(['2', '0', '01', '1.0', '', 'x', '__proto__'])('knows no delivery %j', async (id) => {
    const { service } = await serving();
    const receiver = await receiving();
    receiver.setSecret(service.register({ label: 'mine', url: receiver.url }).secret);
    service.emit([event('a')]);
    expect(service.redeliver(id)).toBe(false);
  });
});
