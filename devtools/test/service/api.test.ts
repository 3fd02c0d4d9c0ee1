import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import { listening } from './receivers.js';
import { serving, withTwo } from './service.js';

const url = 'https://example.com/webhooks';
const time = Date.parse('2026-01-02T03:04:05.678Z');
const stamp = '2026-01-02T03:04:05.678Z';

describe('the API of the local service', () => {
  it('creates a webhook from label and url, and returns its secret', async () => {
    const { call, service } = await serving({ now: () => time });
    const { http, status, message, result } = await call('POST', '', { label: 'mine', url });
    expect({ http, status, message }).toEqual({ http: 200, status: 200, message: 'Success' });
    expect(result).toEqual({
      ...{ id: 1, url, label: 'mine', subscriptions: ['event.emitted', 'transaction.included'] },
      ...{ secret: expect.stringMatching(/^[0-9a-f]{64}$/), createdAt: stamp, updatedAt: stamp, failedCalls: 0 },
    });
    expect(service.secretOf(1)).toBe((result as { secret: string }).secret);
  });

  it('returns the secret only at creation', async () => {
    const { call, service } = await serving();
    const { secret } = service.register({ label: 'mine', url });
    const answers = [await call('GET', ''), await call('GET', '/1'), await call('PUT', '/1', { label: 'b' })];
    expect(answers.map(({ http }) => http)).toEqual([200, 200, 200]);
    expect(JSON.stringify([answers, service.webhooks()])).not.toContain(secret);
  });

  it('shows the secret in every record with secretInRecords, as the live API does', async () => {
    const { call, service } = await serving({ secretInRecords: true });
    const { secret } = service.register({ label: 'mine', url });
    expect(await call('GET', '/1')).toMatchObject({ result: { secret } });
    expect(await call('GET', '')).toMatchObject({ result: [{ secret }] });
    expect(await call('PUT', '/1', { label: 'b' })).toMatchObject({ result: { secret, label: 'b' } });
  });

  it.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=1e2', 'limit=', 'limit=1&limit=2', 'offset=-1', 'offset=x'])(
    'refuses the page %s and names the parameter',
    async (query) => {
      const { call } = await serving();
      const { http, status, message } = await call('GET', `?${query}`);
      expect([http, status]).toEqual([400, 400]);
      expect(message).toContain(`Parameter ${query.split('=')[0]} must be a whole number`);
    },
  );

  it('lists delivered and undelivered events in a paginated log', async () => {
    const { call, service } = await serving({ now: () => time, retries: { attempts: 1 } });
    let status = 200;
    const receiver = await listening((_request, response) => response.writeHead(status).end());
    service.register({ label: 'mine', url: receiver.url });
    const transaction = sampleTransactionIncluded();
    const emitted = sampleEventEmitted();
    service.emit([event('a'), event('b'), emitted]);
    await service.idle();
    status = 500;
    service.emit([transaction]);
    await service.idle();
    const { result } = await call('GET', '/1/events?offset=2&limit=5');
    expect(result).toEqual([
      { id: 3, eventType: 'event.emitted', data: emitted.data, createdAt: stamp, deliveredAt: stamp },
      { id: 4, eventType: 'transaction.included', data: transaction.data, createdAt: stamp },
    ]);
    const ids = async (query: string) => {
      const page = (await call('GET', `/1/events${query}`)).result as { id: number }[];
      return page.map(({ id }) => id);
    };
    expect(await ids('')).toEqual([1, 2, 3, 4]);
    expect(await ids('?offset=1&limit=2')).toEqual([2, 3]);
    expect(await ids('?offset=4')).toEqual([]);
    expect((await call('GET', '/1/events/count')).result).toBe(4);
  });

  const bad: [string, unknown, string][] = [
    ['no label', { url }, 'Field label is missing'],
    ['no url', { label: 'a' }, 'Field url is missing'],
    ['an empty label', { label: '', url }, 'Field label must be'],
    ['a blank label', { label: ' ', url }, 'Field label must be'],
    ['a label of 201 characters', { label: 'x'.repeat(201), url }, 'Field label must be'],
    ['a label that is a number', { label: 1, url }, 'Field label must be'],
    ['a label with half a character', { label: '\ud800', url }, 'Field label must be'],
    ['a url that is a number', { label: 'a', url: 1 }, 'Field url must be an absolute URL'],
    ['a relative url', { label: 'a', url: '/webhooks' }, 'Field url must be an absolute URL'],
    ['a long url', { label: 'a', url: `${url}/${'x'.repeat(2048)}` }, 'Field url must be an absolute URL'],
    [
      'http elsewhere',
      { label: 'a', url: 'http://example.com/' },
      'must be an HTTPS URL. The local service also accepts',
    ],
    ['http that seems loopback', { label: 'a', url: 'http://localhost.example.com/' }, 'must be an HTTPS URL'],
    ['http to 127 as a name', { label: 'a', url: 'http://127.0.0.1.example.com/' }, 'must be an HTTPS URL'],
    ['another scheme', { label: 'a', url: 'ftp://localhost/' }, 'must be an HTTPS URL'],
    ['credentials', { label: 'a', url: 'https://user:pass@example.com/' }, 'must not contain a user name or password'],
    ['no subscriptions', { label: 'a', url, subscriptions: [] }, 'Field subscriptions must be'],
    ['an unknown subscription', { label: 'a', url, subscriptions: ['event.burnt'] }, 'Field subscriptions must be'],
    ['a doubled one', { label: 'a', url, subscriptions: ['event.emitted', 'event.emitted'] }, 'Field subscriptions'],
    ['subscriptions as text', { label: 'a', url, subscriptions: 'event.emitted' }, 'Field subscriptions must be'],
    ['null for a label', { label: null, url }, 'Field label must be'],
    ['a list', [], 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
    ['broken JSON', '{"label":', 'is not JSON'],
    ['keys in the prototype', `{"__proto__":{"label":"a","url":"${url}"}}`, 'Field label is missing'],
  ];
  it.each(bad)('refuses a registration with %s, and says so', async (_title, body, expected) => {
    const { call, service } = await serving();
    const { http, status, message } = await call('POST', '', body);
    expect([http, status]).toEqual([400, 400]);
    expect(message).toContain(expected);
    expect(service.webhooks()).toEqual([]);
  });

  it.each(['http://localhost:1/', 'http://127.0.0.1:1/', 'http://127.9.9.9:1/', 'http://[::1]:1/', url])(
    'takes %s',
    async (each) => {
      const { call } = await serving();
      expect((await call('POST', '', { label: 'a', url: each })).http).toBe(200);
    },
  );

  it('treats prototype keys as data', async () => {
    const { call, service } = await serving();
    const body = `{"label":"__proto__","url":"${url}","__proto__":{"secret":"mine"},"constructor":1}`;
    expect((await call('POST', '', body)).result).toMatchObject({ label: '__proto__' });
    expect(service.secretOf(1)).toMatch(/^[0-9a-f]{64}$/);
    expect(({} as { secret?: string }).secret).toBeUndefined();
  });

  it('refuses a label in use with 409, also in an update', async () => {
    const { call, service } = await withTwo();
    expect(await call('POST', '', { label: 'first', url })).toMatchObject({ http: 409, status: 409 });
    expect(await call('PUT', '/2', { label: 'first' })).toMatchObject({ http: 409 });
    expect(await call('PUT', '/1', { label: 'first' })).toMatchObject({ http: 200 });
    expect(() => service.register({ label: 'first', url })).toThrow(
      expect.objectContaining({ status: 409, message: expect.stringContaining('already has this label') }),
    );
  });

  it.each([
    ['GET', '/9/events', 404],
    ['GET', '/abc', 400],
    ['GET', '/1e0', 400],
    ['GET', '/', 404],
    ['GET', '/1/other', 404],
    ['GET', '/../../v1', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const { call } = await withTwo();
    expect(await call(method, path)).toMatchObject({
      ...{ http: status, status, message: expect.stringMatching(/\.$/) },
    });
  });
});
