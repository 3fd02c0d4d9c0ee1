import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookClient, type NewWebhook, type WebhookClientOptions } from '../../src/client/index.js';
import { type Answer, apiKey, type FakeService, json, startFakeService } from './fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await startFakeService();
});

afterEach(() => service.close());

const client = (options: Partial<WebhookClientOptions> = {}) =>
  createWebhookClient({ baseUrl: service.baseUrl, apiKey, random: () => 0, ...options });
const orders = { label: 'orders', url: 'https://shop.example/webhooks' };
const config = { name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG' };

describe('createWebhookClient', () => {
  it.each([
    ['no options', undefined],
    ['no key', { baseUrl: 'https://service.example' }],
    ['a key with a newline', { baseUrl: 'https://service.example', apiKey: 'key\n' }],
    ['a key of other characters', { baseUrl: 'https://service.example', apiKey: 'schlüssel' }],
    ['no base URL', { apiKey }],
    ['a base URL in the clear', { baseUrl: 'http://service.example', apiKey }],
    ['a base URL that only begins as a loopback address', { baseUrl: 'http://127.0.0.1.example', apiKey }],
    ['a base URL with a password', { baseUrl: 'https://me:pass@service.example', apiKey }],
    ['a base URL with a query', { baseUrl: 'https://service.example/?a=1', apiKey }],
    ['retries below 0', { baseUrl: 'https://service.example', apiKey, retries: -1 }],
    ['a misspelt option', { baseUrl: 'https://service.example', apiKey, timeout: 1 }],
    ['a fetch that is not a function', { baseUrl: 'https://service.example', apiKey, fetch: 'fetch' }],
  ])('rejects %s, without quoting it', (_, options) => {
    const create = () => createWebhookClient(options as unknown as WebhookClientOptions);
    expect(create).toThrow(expect.objectContaining(config));
    expect(create).not.toThrow(/pass@|schlüssel|key\n/);
  });

  it.each(['', '/', '/api/v0', '/api/v0/', '//'])('takes a base URL that ends with %j', async (end) => {
    expect(await client({ baseUrl: `${service.baseUrl}${end}` }).count()).toBe(0);
    expect(service.seen.map(({ path }) => path)).toEqual(['/api/v0/webhooks/count']);
  });

  it('shows neither key nor base URL when it is inspected or serialized', () => {
    const shown = inspect(client(), { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
    expect(shown).not.toContain(apiKey);
    expect(JSON.stringify(client())).toBe('{}');
  });
});

describe('the API key', () => {
  it('is asked for at each attempt when it is a function, so that it can change', async () => {
    const keys = ['old-key', apiKey];
    service.next.push(json(503, {}));
    expect(await client({ apiKey: async () => keys.shift() ?? '' }).count()).toBe(0);
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old-key', `Bearer ${apiKey}`]);
  });

  it.each([
    ['nothing', () => ''],
    ['a key with a newline', async () => 'key\n'],
    ['an error', () => Promise.reject(new Error('vault is closed'))],
  ])('is a ConfigError when the function gives %s, and nothing is sent', async (_, given) => {
    await expect(client({ apiKey: given }).count()).rejects.toMatchObject({ code: config.code });
    expect(service.seen).toEqual([]);
  });

  it('is not part of the message of the service in an error', async () => {
    service.next.push(json(400, { status: 400, message: `Bearer ${apiKey} is not allowed` }));
    const error = await client()
      .count()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, serviceMessage: 'Bearer [API key] is not allowed' });
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(apiKey);
  });

  it('is in no error of the network either, also where fetch puts the request into its errors', async () => {
    const fails = (request: Request) =>
      Promise.reject(Object.assign(new Error(`no route for ${request.headers.get('authorization')}`), { request }));
    const error = await client({ fetch: fails, retries: 0 })
      .count()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_API_UNREACHABLE', status: 503 });
    expect(String(error)).toContain('no route for Bearer [API key]');
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(apiKey);
  });
});

describe('create', () => {
  it('sends label, url and both subscriptions as JSON, with the key', async () => {
    await client().create(orders);
    const [{ method, path, headers, body } = {} as never] = service.seen;
    expect([method, path]).toEqual(['POST', '/api/v0/webhooks']);
    expect(headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' });
    expect(body).toEqual({ ...orders, subscriptions: ['event.emitted', 'transaction.included'] });
  });

  it('sends label and url alone, as the specification has it, when subscriptions is null', async () => {
    await client().create({ ...orders, subscriptions: null });
    expect(service.seen[0]?.body).toEqual(orders);
  });

  it.each([
    ['an empty label', { ...orders, label: '' }],
    ['no url', { label: 'orders' }],
    ['no label', { url: orders.url }],
    ['a url in the clear', { ...orders, url: 'http://shop.example' }],
    ['a url of another scheme', { ...orders, url: 'ftp://shop.example' }],
  ])('refuses %s before anything is sent, as ensure and update do', async (_, webhook) => {
    const given = webhook as NewWebhook;
    await expect(client().create(given)).rejects.toMatchObject(config);
    await expect(client().ensure(given)).rejects.toMatchObject(config);
    if (given.label !== undefined && given.url !== undefined) {
      await expect(client().update(1, given as object)).rejects.toMatchObject(config);
    }
    expect(service.seen).toEqual([]);
  });

  it('takes a url in the clear to this machine, from a service on this machine alone', async () => {
    const local = { label: 'local', url: 'http://localhost:3000/webhooks' };
    expect(await client().create(local)).toMatchObject(local);
    const remote = client({ baseUrl: 'https://service.example', fetch: () => Promise.reject(new Error('sent')) });
    await expect(remote.create(local)).rejects.toMatchObject(config);
  });

  it('is not taken for done when the answer has no secret', async () => {
    service.next.push(json(200, { status: 200, message: '', result: { id: 1, ...orders } }));
    const error = await client()
      .create(orders)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_API', status: 200 });
    expect(String(error)).toContain('a new webhook with its secret');
  });
});

describe('a record', () => {
  it('returns its secret when it is read, but not when the webhook is logged, serialized or copied', async () => {
    const created = await client().create(orders);
    expect(created.secret).toBe('secret-of-1');
    const listed = [];
    for await (const webhook of client().list()) listed.push(webhook);
    const updated = await client().update(1, { label: 'sales' });
    const { webhook } = await client().ensure({ ...orders, label: 'sales' });
    for (const record of [created, await client().get(1), updated, webhook, ...listed]) {
      expect(record.secret).toBe('secret-of-1');
      const options = { depth: Number.POSITIVE_INFINITY, showHidden: true };
      const shown = [inspect(record, options), JSON.stringify(record), JSON.stringify({ ...record })];
      expect(shown.filter((each) => each.includes('secret-of'))).toEqual([]);
      expect(Object.keys(record)).toContain('failedCalls');
    }
  });

  it('keeps keys that are not known', async () => {
    const result = { id: 1, ...orders, owner: { name: 'me' } };
    service.next.push(json(200, { status: 200, message: '', result }));
    expect(await client().get(1)).toEqual(result);
  });
});

it.each([-1, 1.5, Number.NaN, '1', '1/../2', undefined])('refuses the id %j before anything is sent', async (id) => {
  const given = id as number;
  const each = client();
  await expect(each.get(given)).rejects.toMatchObject(config);
  await expect(each.update(given, {})).rejects.toMatchObject(config);
  await expect(each.remove(given)).rejects.toMatchObject(config);
  await expect(each.deliveryCount(given)).rejects.toMatchObject(config);
  expect(() => each.deliveries(given)).toThrow(expect.objectContaining(config));
  expect(service.seen).toEqual([]);
});

it('the delivery log keeps a quantity exact that JavaScript would round', async () => {
  const fee = '12345678901234567890';
  const entry = `{"id":1,"eventType":"transaction.included","data":{"fee":${fee}}}`;
  const answer: Answer = (response) => response.end(`{"result":[${entry}]}`);
  // The second page has nothing new.
  service.next.push(answer, answer);
  for await (const { data } of client().deliveries(1)) expect(data).toEqual({ fee });
  expect.assertions(1);
});
