import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiAddress } from '../../src/client/addresses.js';
import { createWebhookClient } from '../../src/client/index.js';
import { createReceiver, memoryStore, type WebhookEvent } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { fc } from '../fixtures/property.js';
import { apiKey, type FakeService, startFakeService } from './fake-service.js';

const services: FakeService[] = [];
const secret = 'secret-of-1';

/** A service with a webhook 1 whose log has one entry, of the id 1, that was not delivered. */
async function serviceWithOne(): Promise<FakeService> {
  const service = await startFakeService();
  services.push(service);
  const client = createWebhookClient({ baseUrl: service.baseUrl, apiKey });
  await client.create({ label: 'orders', url: 'https://shop.example/webhooks' });
  const { event: eventType, data } = sampleEventEmitted();
  service.logs.set(1, [{ id: 1, eventType, data, createdAt: '2026-01-02T03:04:05Z' }]);
  return service;
}

/** A client whose requests reach a service on this machine, whatever its base URL says. */
function clientOf(service: FakeService, baseUrl: string) {
  const there = new URL(service.baseUrl);
  return createWebhookClient({
    baseUrl,
    apiKey,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      const path = pathname.slice(pathname.lastIndexOf('/api/v0'));
      return fetch(new Request(there.origin + path + search, request));
    },
  });
}

beforeEach(() => {
  services.length = 0;
});

afterEach(() => Promise.all(services.map((service) => service.close())));

describe('recoverMissed of two services', () => {
  it('takes the webhook 1 of each for its own, on one store', async () => {
    const store = memoryStore();
    for (const service of [await serviceWithOne(), await serviceWithOne()]) {
      const receiver = createReceiver({ secret, store, onEvent: () => {} });
      const client = createWebhookClient({ baseUrl: service.baseUrl, apiKey });
      expect(await client.recoverMissed(1, receiver)).toMatchObject({ found: 1, handled: 1, duplicates: 0 });
      expect(await client.recoverMissed(1, receiver)).toMatchObject({ found: 1, handled: 0, duplicates: 1 });
    }
  });

  it.each([
    ['https://a.example', 'https://A.Example/'],
    ['https://a.example', 'https://a.example/api/v0'],
    ['https://a.example/t', 'https://a.example/t/api/v0/'],
    ['https://localhost:8545/t', 'http://localhost:8545/t'],
  ])('%s and %s, which are one, have one id', async (one, two) => {
    const service = await serviceWithOne();
    const receiver = createReceiver({ secret, onEvent: () => {} });
    await clientOf(service, one).recoverMissed(1, receiver);
    const again = await clientOf(service, two).recoverMissed(1, receiver);
    expect(again).toMatchObject({ found: 1, handled: 0, duplicates: 1 });
  });

  it('with different paths never share an id', () => {
    const idOf = (path: string, webhook: number, entry: number) =>
      `delivery-log:${apiAddress(`https://a.example/${path}`).service}:${webhook}:${entry}`;
    const paths = fc
      .array(fc.constantFrom('a', ':', '%', '%3A', '1', '/'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(paths, paths, fc.nat(11), fc.nat(11), (one, two, webhook, entry) => {
        const isSame = apiAddress(`https://a.example/${one}`).url === apiAddress(`https://a.example/${two}`).url;
        expect(idOf(one, webhook, entry) === idOf(two, webhook, entry)).toBe(isSame);
        expect(idOf(one, webhook, entry)).not.toBe(idOf(two, entry, webhook + 12));
      }),
    );
  });
});

describe('the id of a recovered event', () => {
  it('names service, webhook and entry, and neither scheme nor API', async () => {
    const ids: string[] = [];
    const receiver = createReceiver({
      secret,
      toleranceSeconds: false,
      onEvent: ({ id }: WebhookEvent) => ids.push(id),
    });
    const client = clientOf(await serviceWithOne(), 'https://Svc.Example/tenant/api/v0/');
    const { entries } = await client.recoverMissed(1, receiver);
    expect(ids).toEqual(['delivery-log:svc.example/tenant:1:1']);
    expect(entries[0]?.eventId).toBe(ids[0]);
  });
});

describe('a receiver whose secret is a function of the request', () => {
  it('gets the option source, and is refused without', async () => {
    const sources: unknown[] = [];
    const receiver = createReceiver({ secret: () => secret, onEvent: (_, { source }) => sources.push(source) });
    const client = clientOf(await serviceWithOne(), 'https://svc.example');
    await expect(client.recoverMissed(1, receiver)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_CONFIG' });
    expect(await client.recoverMissed(1, receiver, { source: 'one' })).toMatchObject({ found: 1, handled: 1 });
    expect(sources).toEqual(['one']);
  });
});
