import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { encodeAbiParameters, keccak256, padHex, stringToHex } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../../test/helpers.js';
import { createFeed, type FeedOptions, type KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf, summaryOf } from '../../src/deliveries/views.js';
import { decodeByWire } from '../../src/deliveries/wire-abi.js';
import { type ListenerOptions, startListener } from '../../src/listener/listener.js';
import { createGuard } from '../../src/page/page-guard.js';
import { servePage } from '../../src/page/serve-page.js';
import { recordOf, SECRET } from '../deliveries/records.js';
import { call, pageHeaders } from './call.js';

async function listen(options: Partial<ListenerOptions> = {}) {
  const feed = createFeed();
  const fixed = { feed, secret: SECRET, headers: serviceHeaders, toleranceSeconds: 300, forwardTimeoutMs: 5_000 };
  const listener = await startListener({ ...fixed, ...options });
  onTestFinished(() => listener.close());
  return { ...listener, feed };
}

const signed = () => {
  const { body, headers } = createTestDelivery([sampleEventEmitted()], { secret: SECRET });
  return { method: 'POST', body, headers };
};

async function pageOver(options: FeedOptions) {
  const feed = createFeed(options);
  const state = () => ({ mode: 'listen' as const, title: 'A test', headers: serviceHeaders });
  const page = await servePage({ feed, state, secretOf: () => SECRET });
  onTestFinished(() => page.close());
  return { ...page, feed };
}

describe('a listener', () => {
  it('says where it is on an address of IPv6, and can be reached there', async () => {
    const { url } = await listen({ host: '::1' });
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await call(url, signed())).status).toBe(200);
  });

  it('keeps of a body that was broken off that it came, and refuses it', async () => {
    const { promise, resolve } = deferred<KeptDelivery | undefined>();
    const { url, feed } = await listen({ onDelivery: ({ id }) => resolve(feed.get(id)) });
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 10\r\n\r\n[`, () => socket.destroy());
    const kept = await promise;
    expect(kept).toMatchObject({ bodyDropped: true });
    expect(lastOf(kept as KeptDelivery)).toMatchObject({ status: expect.any(Number), code: expect.any(String) });
    expect(summaryOf(kept as KeptDelivery).verdict).not.toBe('accepted');
  });

  it('that fails itself answers 500, so that the sender tries again', async () => {
    const now = () => {
      throw new Error('no clock');
    };
    const { url, feed } = await listen({ now });
    expect((await call(url, signed())).status).toBe(500);
    expect(feed.list()).toEqual([]);
  });

  it('has answered already when what it tells of a delivery fails', async () => {
    const onDelivery = () => {
      throw new Error('mine');
    };
    const { url } = await listen({ onDelivery });
    expect([(await call(url, signed())).status, (await call(url, signed())).status]).toEqual([200, 200]);
  });

  it('sends no more than a hundred deliveries on at once: others are to come again', async () => {
    const waiting: (() => void)[] = [];
    let wake = () => {};
    const target = createServer((request, response) => {
      request.resume();
      waiting.push(() => response.end());
      wake();
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    onTestFinished(() => void target.close());
    const { port } = target.address() as AddressInfo;
    const { url, feed } = await listen({ target: new URL(`http://127.0.0.1:${port}/`), forwardTimeoutMs: 60_000 });
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

describe('the page', () => {
  it('on port 80 is its own without the port, which browsers leave out', () => {
    const request = (host: string) => ({ headers: { host } }) as never;
    const [plain, other] = [createGuard(80, 'token'), createGuard(8080, 'token')];
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:80']) plain.checkHost(request(host));
    expect(() => plain.checkHost(request('evil.example'))).toThrow('not under this host name');
    expect(() => other.checkHost(request('localhost'))).toThrow('not under this host name');
  });

  it('refuses requests without a Host header, and calls without a Content-Type', async () => {
    const { url, token } = await pageOver({});
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.end('GET / HTTP/1.0\r\n\r\n');
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 421 /);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await call(`${url}api/deliveries`, { method: 'DELETE', headers })).status).toBe(415);
  });

  it.each(['', 'UPPER', 'state/1/2/3', 'deliveries//'])('has no call /api/%s', async (path) => {
    const { url, token } = await pageOver({});
    expect((await call(`${url}api/${path}`, { headers: pageHeaders(token) })).status).toBe(404);
  });

  it('is told of no more deliveries than are kept', async () => {
    const { url, token, feed } = await pageOver({ maxDeliveries: 2 });
    const response = await fetch(`${url}api/stream`, { headers: pageHeaders(token) });
    const reader = (response.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader();
    for (let id = 1; id <= 5; id++) feed.put(recordOf(String(id)));
    let text = '';
    while (!/event: deliveries\n.*\n\n/.test(text)) text += (await reader.read()).value;
    const [, data = ''] = /event: deliveries\ndata: (.*)\n/.exec(text) ?? [];
    expect(JSON.parse(data).map(({ id }: { id: string }) => id)).toEqual(['4', '5']);
    await reader.cancel();
  });
});

describe('a feed', () => {
  it('does not send events that it cannot store', () => {
    const feed = createFeed({ maxBytes: 10_000 });
    const told: (string | undefined)[] = [];
    feed.subscribe((record) => told.push(record?.id));
    for (const id of ['1', '2']) feed.put(recordOf(id));
    feed.put(recordOf('1', { attempt: { reason: 'x'.repeat(10_000) } }));
    expect([told, feed.list().map(({ id }) => id)]).toEqual([['1', '2'], ['2']]);
  });

  it('has what has not been sent yet as pending', () => {
    const feed = createFeed();
    feed.put({ ...recordOf('1'), attempts: [] });
    const kept = feed.get('1') as KeptDelivery;
    expect(summaryOf(kept)).toMatchObject({ at: 0, verdict: 'pending', attempts: 0 });
  });
});

describe('an event whose ABI nobody gave', () => {
  const sample = sampleEventEmitted();
  const emitted = (signature: string, inputs: object[], topics: string[], data: string) => {
    const log = {
      ...JSON.parse(sample.data.event.rawFields ?? ''),
      topics: [keccak256(stringToHex(signature)), ...topics],
      data,
    };
    const [name = ''] = signature.split('(');
    const event = { name, signature, inputs: inputs as never, rawFields: JSON.stringify(log) };
    return sampleEventEmitted({ id: sample.id, data: { event } });
  };

  it('is exact beside an input of which there is only the hash', () => {
    const memo = padHex('0xabc', { size: 32 });
    const inputs = [
      { name: 'memo', type: 'string', value: memo, hashed: true },
      { name: 'value', type: 'uint256', value: '7', hashed: false },
    ];
    const data = encodeAbiParameters([{ type: 'uint256' }], [7n]);
    expect(decodeByWire(emitted('Noted(string,uint256)', inputs, [memo], data), () => true)?.[1]).toBe(7n);
  });

  it('has no arguments where it has no inputs', () => {
    expect(decodeByWire(emitted('Paused()', [], [], '0x'), () => true)).toEqual([]);
  });
});
