import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookClient, type NewWebhook, type WebhookClient } from '../../src/client/index.js';
import { apiKey, type FakeService, json, startFakeService } from './fake-service.js';

let service: FakeService;
let client: WebhookClient;

beforeEach(async () => {
  service = await startFakeService();
  client = createWebhookClient({ baseUrl: service.baseUrl, apiKey, random: () => 0 });
});

afterEach(() => service.close());

const url = 'https://shop.example/webhooks';
const orders = { label: 'orders', url };
const methods = () => service.seen.map(({ method }) => method);
const sent = (method: string) => service.seen.filter((each) => each.method === method).map(({ body }) => body);

describe('ensure', () => {
  it('creates one webhook for many concurrent calls', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => client.ensure(orders)));
    expect(results.filter(({ created }) => created).length).toBe(1);
    expect(new Set(results.map(({ webhook }) => webhook.id))).toEqual(new Set([1]));
    expect(sent('POST').length).toBe(1);
  });

  it('runs concurrent calls for one label in order', async () => {
    const calls = ['/a', '/b', '/c'].map((path) => client.ensure({ label: 'orders', url: url + path }));
    expect((await Promise.all(calls)).map(({ created, updated }) => [created, updated])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
    expect(await client.get(1)).toMatchObject({ url: `${url}/c` });
  });

  it('finds a webhook that a lost answer had created', async () => {
    const { next } = service;
    next.push(json(200, { result: [] }), (response) => response.destroy());
    await expect(client.ensure(orders)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_API_UNREACHABLE' });
    await client.create(orders);
    expect(await client.ensure(orders)).toMatchObject({ created: false, webhook: { secret: 'secret-of-1' } });
  });

  it('changes the subscriptions where they are others, and not where only their order is', async () => {
    await client.create(orders);
    const same: NewWebhook = { ...orders, subscriptions: ['transaction.included', 'event.emitted'] };
    expect(await client.ensure(same)).toMatchObject({ created: false, updated: false });
    const result = await client.ensure({ ...orders, subscriptions: ['event.emitted'] });
    expect(result).toMatchObject({ updated: true, webhook: { subscriptions: ['event.emitted'] } });
  });

  it('leaves the subscriptions that there are when it is given none', async () => {
    await client.create({ ...orders, label: 'others' });
    await client.create({ ...orders, subscriptions: ['event.emitted'] });
    const { webhook } = await client.ensure({ label: 'orders', url: `${url}/2` });
    expect(webhook.subscriptions).toEqual(['event.emitted']);
    expect(sent('PUT')).toEqual([{ label: 'orders', url: `${url}/2`, subscriptions: ['event.emitted'] }]);
  });

  it('takes the one with the URL where several have the label', async () => {
    for (const path of ['/a', '/b', '/c']) await client.create({ label: 'orders', url: url + path });
    const result = await client.ensure({ label: 'orders', url: `${url}/b` });
    expect(result).toMatchObject({ created: false, updated: false, webhook: { id: 2 } });
  });

  it('does not guess where several have the label and none the URL', async () => {
    for (const path of ['/a', '/b']) await client.create({ label: 'orders', url: url + path });
    const before = methods().length;
    const guess = client.ensure(orders);
    await expect(guess).rejects.toMatchObject({ name: 'ConfigError' });
    await expect(guess).rejects.toThrow('1, 2');
    expect(new Set(methods().slice(before))).toEqual(new Set(['GET']));
  });
});
