import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from '../../src/client/index.js';
import { apiKey, type FakeService, json, startFakeService, text } from './fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await startFakeService();
});

afterEach(() => service.close());

const client = (options: Partial<WebhookClientOptions> = {}) =>
  createWebhookClient({ baseUrl: service.baseUrl, apiKey, random: () => 0, retries: 0, ...options });
const orders = { label: 'orders', url: 'https://shop.example/webhooks' };
const api = { name: 'WebhookApiError', code: 'ERR_WEBHOOK_API' };
const unreachable = { name: 'WebhookApiError', code: 'ERR_WEBHOOK_API_UNREACHABLE', status: 503 };
const first = async (of: AsyncIterable<unknown>) => {
  for await (const each of of) return each;
};

type Call = (client: WebhookClient) => Promise<unknown>;
const list: Call = (each) => first(each.list());
const count: Call = (each) => each.count();

/** Each method, and each kind of result. A call sees what the service answers next. */
describe.each<[string, Call]>([
  ['create', (each) => each.create(orders)],
  ['list', list],
  ['remove', (each) => each.remove(1)],
  ['count', count],
])('%s', (_, call) => {
  it.each([
    ['HTML', text(200, '<html>Welcome to the hotel</html>', { 'content-type': 'text/html' })],
    ['half of its JSON', text(200, '{"status":200,"message":"ok","resu')],
    ['JSON that is no envelope', json(200, [{ id: 1 }])],
    ['bytes that are not UTF-8', (response: ServerResponse) => response.end(Buffer.from([0x7b, 0xff, 0x7d]))],
    ['an envelope that calls itself an error', json(200, { status: 500, message: 'no', result: {} })],
    ['an answer without end', endless],
    ['a redirect', text(302, '', { location: 'https://elsewhere.example/' })],
  ])('rejects when the service answers with %s', async (_, answer) => {
    service.next.push(answer);
    await expect(call(client())).rejects.toMatchObject(api);
    expect(service.seen.length).toBe(1);
  });

  it.each([
    ['hangs', () => {}],
    ['hangs half way', (response: ServerResponse) => response.writeHead(200).write('{"status":')],
  ])('gives up a service that %s', async (_, answer) => {
    service.next.push(answer);
    await expect(call(client({ timeoutMs: 50 }))).rejects.toMatchObject(unreachable);
  });

  it.each([
    ['at once', (response: ServerResponse) => response.destroy()],
    [
      'half way',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 100 }).write('{"status":', () => response.destroy());
      },
    ],
  ])('rejects when the service resets the connection %s', async (_, answer) => {
    service.next.push(answer);
    await expect(call(client())).rejects.toMatchObject(unreachable);
  });
});

/** Sends until nobody takes any more. */
function endless(response: ServerResponse): void {
  const more = () => {
    if (!response.destroyed && response.write(' '.repeat(1024 * 1024))) setImmediate(more);
  };
  response.writeHead(200).on('drain', more);
  more();
}

describe('an answer of the wrong kind', () => {
  const answering = (result: unknown) => {
    service.next.push(json(200, { status: 200, message: 'Success', result }));
    return client();
  };

  it.each<[string, Call, readonly unknown[]]>([
    [
      'get',
      (each) => each.get(1),
      [null, 'x', [], {}, { id: '1', label: 'l', url: 'u' }, { id: 1, label: 'l' }, { id: 1, url: 'u' }],
    ],
    ['list', list, ['x', {}, 7, [null], [{}], [{ id: 1.5, label: 'l', url: 'u' }]]],
    ['count', count, [null, '1', -1, 1.5, {}]],
    [
      'deliveries',
      (each) => first(each.deliveries(1)),
      ['x', {}, [null], [{ id: 1 }], [{ id: '1', eventType: 'event.emitted' }]],
    ],
  ])('of %s is refused', async (_, call, results) => {
    for (const result of results) {
      await expect(call(answering(result)), JSON.stringify(result)).rejects.toMatchObject({ ...api, status: 200 });
    }
  });

  it('is refused without its result, and with one that is only inherited', async () => {
    service.next.push(json(200, { status: 200, message: 'Success' }));
    await expect(client().count()).rejects.toMatchObject(api);
    service.next.push(text(200, '{"status":200,"__proto__":{"result":1}}'));
    await expect(client().count()).rejects.toMatchObject(api);
  });

  it('keeps a __proto__ as a key like any other', async () => {
    service.next.push(text(200, '{"result":{"id":1,"label":"l","url":"u","__proto__":{"secret":"polluted"}}}'));
    const webhook = await client().get(1);
    expect(webhook.secret).toBeUndefined();
    expect(Object.getPrototypeOf(webhook)).toBe(Object.prototype);
    expect(({} as { secret?: unknown }).secret).toBeUndefined();
  });

  it('is 204 or empty: removed, but nothing else', async () => {
    service.next.push(json(200, { result: null }));
    expect(await first(client().list())).toBeUndefined();
    const empty = [text(204, ''), text(200, '')];
    for (const answer of empty) {
      service.next.push(answer, answer, answer);
      await expect(client().remove(1)).resolves.toBeUndefined();
      await expect(client().get(1)).rejects.toMatchObject(api);
      await expect(client().count()).rejects.toMatchObject(api);
    }
  });
});

describe('an error of the service', () => {
  const errorOf = (answer: Parameters<typeof service.next.push>[0]) => {
    service.next.push(answer);
    return client()
      .count()
      .catch((thrown: unknown) => thrown);
  };

  it('has its status and its message', async () => {
    const error = await errorOf(json(409, { status: 409, message: 'label is taken' }));
    expect(error).toMatchObject({ ...api, status: 409, serviceMessage: 'label is taken' });
    expect(String(error)).toBe('WebhookApiError: GET /webhooks/count: the service answered 409: label is taken');
  });

  it('says to look where baseUrl leads when a path is not known there', async () => {
    expect(String(await errorOf(text(404, '<pre>Cannot GET /api</pre>')))).toMatch(
      /answered 404, but not in the format .* baseUrl\.$/,
    );
    expect(String(await errorOf(text(418, '')))).toMatch(/answered 418\.$/);
  });

  it('has the status of the envelope where HTTP says 200', async () => {
    expect(await errorOf(json(200, { status: 403, message: 'no' }))).toMatchObject({ status: 403 });
  });

  it.each([
    ['HTML', text(502, '<html>Bad gateway</html>')],
    ['nothing', text(502, '')],
    ['a message that is not a string', json(502, { message: { toString: 'x' } })],
  ])('has an empty message when it came with %s', async (_, answer) => {
    expect(await errorOf(answer)).toMatchObject({ ...api, status: 502, serviceMessage: '' });
  });

  it('has one printable line of a message, however long, and of whatever it is made', async () => {
    const message = `\u001b[31mred\u0007\r\nnext\u202Eltr\u2028line\uD800${'x'.repeat(1_000_000)}`;
    const { serviceMessage } = (await errorOf(json(400, { message }))) as { serviceMessage: string };
    expect(serviceMessage).toMatch(/^\[31mred next ltr line x{10}/);
    expect(serviceMessage.length).toBe(200);
    expect(serviceMessage.isWellFormed()).toBe(true);
  });
});

it('takes an answer up to 10 MiB, compressed or not, and none above', async () => {
  const result = { id: 1, ...orders };
  const envelope = (padding: number) => JSON.stringify({ result, padding: ' '.repeat(padding) });
  const most = 10 * 1024 * 1024 - envelope(0).length;
  service.next.push(text(200, envelope(most)), text(200, envelope(most + 1)));
  expect(await client().get(1)).toMatchObject(result);
  await expect(client().get(1)).rejects.toThrow('longer than 10485760 bytes');
});

it('never sends the key where a redirect leads', async () => {
  const elsewhere = await startFakeService();
  try {
    service.next.push(text(301, '', { location: `${elsewhere.baseUrl}/api/v0/webhooks/count` }));
    const error = await client({ retries: 2 })
      .count()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...api, status: 301 });
    expect(elsewhere.seen).toEqual([]);
    expect(service.seen.length).toBe(1);
    expect(inspect(error)).not.toContain(apiKey);
  } finally {
    await elsewhere.close();
  }
});

it('says that a create whose answer is lost may have taken effect', async () => {
  service.next.push((response) => response.destroy());
  await expect(client({ retries: 3 }).create(orders)).rejects.toThrow('It may have taken effect');
  expect(service.seen.length).toBe(1);
});

describe('a custom fetch function', () => {
  it('that returns a response without an HTTP status is an error', async () => {
    const count = client({ fetch: async () => Response.error() }).count();
    await expect(count).rejects.toMatchObject({ code: 'ERR_WEBHOOK_API', status: 0 });
    await expect(count).rejects.toThrow(
      'GET /webhooks/count: the answer has no valid HTTP status. Check baseUrl and the fetch function.',
    );
  });

  it.each<[string, unknown, string]>([
    ['a text', `no ${apiKey}`, 'no answer (the fetch function failed).'],
    ['an error that has a code alone', Object.assign(new Error(''), { code: 'EODD' }), 'no answer (EODD)'],
    ['an error that has a name alone', new RangeError(''), 'no answer (RangeError)'],
  ])('that rejects with %s is an error with the known cause', async (_, thrown, expected) => {
    const call = client({ fetch: () => Promise.reject(thrown) }).count();
    await expect(call).rejects.toThrow(`GET /webhooks/count: ${expected}`);
    await expect(call).rejects.toMatchObject({ code: 'ERR_WEBHOOK_API_UNREACHABLE', status: 503 });
  });

  it('that returns a redirect without a status is an error which says so', async () => {
    const opaque = Object.defineProperties(new Response(), { type: { value: 'opaqueredirect' }, status: { value: 0 } });
    await expect(client({ fetch: async () => opaque }).count()).rejects.toThrow('with a redirect');
  });
});
