import type { WebhookEvent } from 'event-webhook-receiver';
import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import type { HeaderNames } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import { createLocalService, type LocalServiceOptions } from '../../src/service/index.js';
import { listening, pair } from './receivers.js';
import { logging, serving } from './service.js';

/** A receiver that takes everything, and the bodies that it was sent. */
async function taking() {
  const bodies: unknown[][] = [];
  const { url } = await listening(async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.end();
  });
  return { url, bodies, ids: () => bodies.map((body) => body.map((each) => (each as { id: string }).id).join('')) };
}

describe('emit', () => {
  it('sends to each webhook the kinds that it subscribes to', async () => {
    const { service } = await serving();
    const all = await taking();
    const emitted = await taking();
    const included = await taking();
    service.register({ label: 'all', url: all.url });
    service.register({ label: 'emitted', url: emitted.url, subscriptions: ['event.emitted'] });
    service.register({ label: 'included', url: included.url, subscriptions: ['transaction.included'] });
    service.emit([event('a'), sampleTransactionIncluded({ id: 'b' }), event('c')]);
    service.emit([event('d')]);
    await service.idle();
    expect([all.ids(), emitted.ids(), included.ids()]).toEqual([['abc', 'd'], ['ac', 'd'], ['b']]);
  });

  it('puts as many events into a delivery as are emitted together, up to 100', async () => {
    const { service } = await serving();
    const { url, ids } = await taking();
    service.register({ label: 'mine', url });
    service.emit(Array.from({ length: 205 }, () => event('a')));
    service.emit([event('b')]);
    await service.idle();
    expect(ids()).toEqual(['a'.repeat(100), 'a'.repeat(100), 'a'.repeat(5), 'b']);
  });

  it('puts fewer large events into a delivery, so that no receiver finds it too large, and keeps their order', async () => {
    const { service, receiver } = await pair();
    const ids = Array.from({ length: 12 }, (_, at) => String(at));
    service.emit(ids.map((id) => ({ ...event(id), note: 'x'.repeat(1024 * 1024) })));
    await service.idle();
    expect(receiver.ids()).toEqual(ids);
  });

  it('refuses invalid events with their position, and sends none', async () => {
    const { service, changes } = await serving();
    service.register({ label: 'mine', url: (await taking()).url });
    const { data } = sampleEventEmitted();
    const bad = { id: 'b', event: 'event.emitted', data: { ...data, event: { ...data.event, name: 7 } } };
    const emit = (...events: unknown[]) => service.emit(events as WebhookEvent[]);
    expect(() => emit(event('a'), bad)).toThrow(/Not a valid event: 1\.data\.event\.name: /);
    expect(() => emit({ id: 'a', event: 'event.burnt', data: {} })).toThrow(/0\.event: expected event\.emitted or/);
    expect(() => emit({ ...event('a'), more: 1n })).toThrow('Event 0 of `emit` cannot be serialized as JSON.');
    expect(() => emit(undefined)).toThrow('Event 0 of `emit` cannot be serialized as JSON.');
    expect(() => emit(sampleTransactionIncluded({ data: { more: 'x'.repeat(8 * 1024 * 1024) } }))).toThrow(/8 MiB/);
    expect(() => service.emit('[]' as unknown as [])).toThrow('must be called with an array of events, got a string');
    await service.idle();
    expect(changes).toEqual([]);
  });

  it('sends anything with `unchecked`', async () => {
    const { service } = await serving();
    const { url, bodies } = await taking();
    service.register({ label: 'mine', url, subscriptions: ['transaction.included'] });
    const events = [{ id: 'a' }, 7, null, 'text', { id: 'b', event: 'event.burnt', data: 1 }];
    service.emit(events, { unchecked: true });
    await service.idle();
    expect(bodies).toEqual([events]);
  });
});

it('close ends what is under way and what waits, and the API', async () => {
  const { service, changed } = await serving({ retries: { initialDelayMs: 60_000, maxDelayMs: 60_000 } });
  const hanging = await listening(() => {});
  const failing = await listening((_request, response) => response.writeHead(500).end());
  service.register({ label: 'hanging', url: hanging.url });
  service.register({ label: 'failing', url: failing.url });
  service.emit([event('a')]);
  await changed(({ label, attempts }) => label === 'hanging' && attempts.length === 1);
  await changed(({ nextAttemptAt }) => nextAttemptAt !== undefined);
  const idle = service.idle();
  await Promise.all([service.close(), service.close()]);
  await idle;
  await expect(fetch(service.url)).rejects.toThrow();
  expect(() => service.emit([event('b')])).toThrow('The local service is closed.');
  expect(() => service.register({ label: 'b', url: failing.url })).toThrow('The local service is closed.');
  expect(() => service.redeliver('1')).toThrow('The local service is closed.');
  await expect(service.watchChain({ rpcUrl: 'http://127.0.0.1:1' })).rejects.toThrow('The local service is closed.');
});

it('onDelivery is told at every change, and what it throws is logged', async () => {
  const { logger, texts } = logging();
  let requests = 0;
  const { url } = await listening((_request, response) => response.writeHead(++requests > 1 ? 200 : 500).end());
  const told: unknown[] = [];
  const { service } = await serving({
    logger,
    onDelivery: ({ state, attempts, nextAttemptAt }) => {
      told.push([state, attempts.map(({ status }) => status), nextAttemptAt === undefined]);
      throw new Error('mine');
    },
  });
  service.register({ label: 'mine', url });
  service.emit([event('a')]);
  await service.idle();
  expect(told).toEqual([
    ['pending', [undefined], true],
    ['pending', [500], false],
    ['pending', [500, undefined], true],
    ['delivered', [500, 200], true],
  ]);
  const errors = texts().filter((text) => text.startsWith('error'));
  expect(errors).toEqual(Array(4).fill('error: a callback of the local service failed'));
});

describe('options', () => {
  const bad: [LocalServiceOptions, string][] = [
    [{ timeout: 5 } as LocalServiceOptions, '`createLocalService` has no option `timeout`. Did you mean `timeoutMs`?'],
    [{ retries: { attempt: 5 } as object }, '`retries` has no option `attempt`. Did you mean `attempts`?'],
    [{ port: -1 }, '`port` must be'],
    [{ port: 65_536 }, '`port` must be'],
    [{ port: Number.NaN }, '`port` must be a number from 0 to 65535, got NaN.'],
    [{ host: '' }, '`host` must be'],
    [{ apiKeys: [] }, '`apiKeys` must be'],
    [{ apiKeys: ['a b'] }, '`apiKeys` must be'],
    [{ apiKeys: [''] }, '`apiKeys` must be'],
    [{ apiKeys: 'key' as unknown as string[] }, '`apiKeys` must be'],
    [{ file: '' }, '`file` must be'],
    [{ file: true as unknown as string }, '`file` must be a non-empty string, got a boolean.'],
    [{ headers: null as unknown as HeaderNames }, '`headers` must be the names of two headers'],
    [{ headers: { signature: 'X', timestamp: 'x' } }, '`headers` must be'],
    [{ headers: { signature: 'X Y', timestamp: 'Z' } }, '`headers` must be'],
    [{ headers: { signature: 'X\r\nY: Z', timestamp: 'Z' } }, '`headers` must be'],
    [{ timeoutMs: 0 }, '`timeoutMs` must be'],
    [{ retries: { attempts: 0 } }, '`retries.attempts` must be'],
    [{ retries: { initialDelayMs: -1 } }, '`retries.initialDelayMs` must be'],
    [{ retries: { maxDelayMs: 2 ** 31 } }, '`retries.maxDelayMs` must be'],
    [{ now: 1 as unknown as () => number }, '`now` must be'],
    [{ secretInRecords: 'no' as unknown as boolean }, '`secretInRecords` must be true or false, got a string.'],
    // Cut: a secret in the place of a name is not printed whole.
    [
      { ['apiKeys_'.repeat(6)]: 5 } as LocalServiceOptions,
      `no option \`${'apiKeys_'.repeat(5)}\`. It has: port, host,`,
    ],
    [null as unknown as LocalServiceOptions, '`createLocalService` must be an options object, got null'],
  ];
  it.each(bad)('%j is refused', async (options, message) => {
    const refused = createLocalService(options);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_WEBHOOK_CONFIG' });
  });

  it('bind to loopback by default, and to another address with a warning', async () => {
    const { logger, lines } = logging();
    const { service } = await serving({ logger });
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { service: open } = await serving({ logger, host: '0.0.0.0' });
    expect(lines.map(([level, { url }, text]) => [level, url, text])).toEqual([
      ['info', service.url, 'the local service is listening on loopback'],
      ['warn', open.url, 'other machines can reach the local service, which is meant for development and tests'],
    ]);
    const { service: six } = await serving({ host: '::1' });
    expect(six.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(six.url)).status).toBe(401);
  });

  it('log no secret, no key and no body', async () => {
    const { logger, lines } = logging();
    const { service } = await pair({ logger }, { onEvent: () => Promise.reject(new Error('no')) });
    service.emit([event('needle')]);
    await service.idle();
    const secret = service.secretOf(1) ?? '';
    const text = JSON.stringify(lines);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const hidden of [secret, service.apiKeys[0] ?? '', 'needle', 'X-Service-Signature']) {
      expect(text).not.toContain(hidden);
    }
  });
});
