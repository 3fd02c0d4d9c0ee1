import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../../src/http.js';
import { recordOf, SECRET } from '../deliveries/records.js';
import { call, openPage, pageHeaders } from './call.js';

it('says of a delivery that could not be decoded that it was not', async () => {
  const nothing = {
    explain: async () => [],
    read: async () => undefined,
    view: async () => undefined,
  };
  const { feed, api } = await openPage({ explainer: { ...nothing, first: nothing, close() {} } });
  feed.put(recordOf('1', { attempt: { status: 500 } }));
  const { body } = await api('GET', 'deliveries/1');
  expect(body).toMatchObject({
    items: [],
    findings: expect.arrayContaining([expect.objectContaining({ cause: 'items-not-decoded' })]),
  });
});

describe('what the page is protected with', () => {
  it('answers only under its own host names, to prevent DNS rebinding', async () => {
    const { url, headers } = await openPage();
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect((await call(url, { headers: { Host: host } })).status).toBe(200);
    }
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1:1',
    ]) {
      expect((await call(url, { headers: { Host: host } })).status).toBe(421);
      expect((await call(`${url}api/state`, { headers: { ...headers, Host: host } })).status).toBe(421);
    }
  });

  it('wants the token for everything under /api, and takes no other', async () => {
    const { url, token } = await openPage();
    const tries = ['', 'Bearer', 'Bearer ', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, token];
    for (const path of ['state', 'deliveries', 'deliveries/1', 'stream', 'nothing']) {
      for (const Authorization of tries) {
        const answer = await call(`${url}api/${path}`, { headers: { Authorization } });
        expect([path, Authorization, answer.status]).toEqual([path, Authorization, 401]);
        expect(answer.text).not.toContain(token);
      }
      expect((await call(`${url}api/${path}?token=${token}`)).status).toBe(401);
    }
  });

  it('creates a new token in every run', async () => {
    const [one, other] = [await openPage(), await openPage()];
    expect(one.token).not.toBe(other.token);
    expect(one.token.length).toBeGreaterThanOrEqual(43);
  });

  it.each([
    'tsconfig.json',
    '../../../test/serve-page.ts',
    '..%2fserve-page.ts',
    '%2e%2e/serve-page.ts',
    'constructor',
  ])('serves no file besides those of the page: %s', async (path) => {
    const { url } = await openPage();
    expect((await call(`${url}${path}`)).status).toBe(404);
  });

  it('refuses calls from the pages of other sites, and changes that are not sent as JSON', async () => {
    const { url, headers, feed } = await openPage();
    feed.put(recordOf('1'));
    const clear = (changes: Record<string, string>) =>
      call(`${url}api/deliveries`, { method: 'DELETE', headers: { ...headers, ...changes } });
    for (const Origin of ['http://evil.example', 'null', `${url.slice(0, -1)}.evil.example`, 'http://localhost:1']) {
      expect((await clear({ Origin })).status).toBe(403);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect((await clear({ 'Content-Type': type })).status).toBe(415);
    }
    expect(feed.list()).toHaveLength(1);
    expect((await clear({ Origin: url.slice(0, -1), 'Content-Type': 'application/json; charset=utf-8' })).status).toBe(
      200,
    );
    expect(feed.list()).toHaveLength(0);
  });

  it('has the security headers on every answer, and no CORS', async () => {
    const { url, headers } = await openPage();
    for (const path of ['', 'api/state', 'nothing', 'api/nothing']) {
      for (const host of [{}, { Host: 'evil.example' }]) {
        const answer = await call(`${url}${path}`, { headers: { ...headers, ...host } });
        expect(answer.headers).toMatchObject({
          'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        });
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
  });
});

describe('the API of the page', () => {
  it('lists deliveries, opens one with its findings, and clears them', async () => {
    const { feed, api } = await openPage();
    feed.put(recordOf('1'));
    feed.put(recordOf('2', { attempt: { status: 403 } }));
    const { body } = await api('GET', 'deliveries');
    expect(body.deliveries.map(({ id, verdict }: Record<string, string>) => [id, verdict])).toEqual([
      ['1', 'accepted'],
      ['2', 'refused'],
    ]);
    const opened = await api('GET', 'deliveries/2');
    expect(opened.body.findings[0].cause).toBe('refused-though-authentic');
    expect(opened.body.items[0].inputs[2].exact).toBe('1000000000000000000');
    expect(JSON.stringify(opened.body)).not.toContain(SECRET);
    expect((await api('DELETE', 'deliveries')).status).toBe(200);
    expect((await api('GET', 'deliveries')).body.deliveries).toEqual([]);
    expect(await api('GET', 'deliveries/2')).toEqual({
      status: 404,
      body: { status: 404, message: 'The delivery does not exist, or is no longer kept.' },
    });
  });

  it('runs its actions, and returns a secret only from a registration', async () => {
    const { api } = await openPage({
      actions: {
        register: (webhook) => ({ ...webhook, id: 1, secret: 'whsec-once' }),
        remove: (id) => id === 1,
        setFaults: (faults) => ({ ...faults }),
        resend: ({ id }) => ({ id }),
        sample: () => ({ event: 'x' }),
      },
    });
    const url = 'http://localhost:3000/';
    expect((await api('POST', 'webhooks', { label: 'shop', url })).body).toMatchObject({ secret: 'whsec-once' });
    expect((await api('POST', 'webhooks', { label: 7, url })).status).toBe(400);
    expect((await api('POST', 'webhooks', [])).status).toBe(400);
    expect((await api('DELETE', 'webhooks/1')).status).toBe(200);
    for (const id of ['2', '1e0', '-1', 'x']) expect((await api('DELETE', `webhooks/${id}`)).status).toBe(404);
    expect((await api('PUT', 'faults', { duplicate: true })).body).toEqual({ duplicate: true });
    expect((await api('POST', 'sample', {})).body).toEqual({ event: 'x' });
    expect((await api('POST', 'deliveries/9/resend', {})).status).toBe(404);
  });

  it('lists what a delivery that was not verified holds once it has been opened, and not before', async () => {
    const { feed, api } = await openPage();
    feed.put(recordOf('1', { attempt: { status: 403 }, verified: false }));
    feed.put(recordOf('2', { attempt: { status: 403 }, verified: false, bodyDropped: true }));
    const names = async () =>
      (await api('GET', 'deliveries')).body.deliveries.map(({ names }: { names: string[] }) => names);
    expect(await names()).toEqual([[], []]);
    const opened = await api('GET', 'deliveries/1');
    expect([opened.body.names, opened.body.items.length]).toEqual([['Transfer'], 1]);
    expect((await api('GET', 'deliveries/2')).body.bodyDropped).toBe(true);
    expect((await names())[0]).toEqual(['Transfer']);
  });

  it('answers 404 for actions that the command does not support, and for unknown calls', async () => {
    const { api, feed } = await openPage();
    feed.put(recordOf('1'));
    const calls = [
      'POST webhooks',
      'DELETE webhooks/1',
      'PUT faults',
      'POST sample',
      'POST deliveries/1/resend',
      'POST send',
      'POST deliveries/1/edit',
      'POST webhooks/1/retry',
    ];
    for (const each of [...calls, 'GET nothing', 'PUT state', 'GET deliveries/1/resend', 'POST constructor']) {
      const [method, path] = each.split(' ') as [string, string];
      expect([each, (await api(method, path, { label: 'x', url: 'y' })).status]).toEqual([each, 404]);
    }
  });

  it('relays the refusal of an action, and discloses nothing of an unexpected error', async () => {
    const { api, feed } = await openPage({
      actions: {
        register: () => Promise.reject(new HttpError(409, 'The label is taken.')),
        sample() {
          throw new Error(`a bug that quotes ${SECRET}`);
        },
      },
      contracts: () => {
        throw new Error(SECRET);
      },
    });
    expect(await api('POST', 'webhooks', { label: 'a', url: 'b' })).toEqual({
      status: 409,
      body: { status: 409, message: 'The label is taken.' },
    });
    const failed = { status: 500, body: { status: 500, message: 'The page server failed.' } };
    expect(await api('POST', 'sample', {})).toEqual(failed);
    feed.put(recordOf('1'));
    expect(await api('GET', 'deliveries/1')).toEqual(failed);
  });

  it('refuses requests without a Host header, and calls without a Content-Type', async () => {
    const { url, token } = await openPage();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    expect(await text(socket.end('GET / HTTP/1.0\r\n\r\n'))).toMatch(/^HTTP\/1\.1 421 /);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await call(`${url}api/deliveries`, { method: 'DELETE', headers })).status).toBe(415);
  });

  it.each(['', 'UPPER', 'state/1/2/3', 'deliveries//'])('has no call /api/%s', async (path) => {
    const { url, token } = await openPage();
    expect((await call(`${url}api/${path}`, { headers: pageHeaders(token) })).status).toBe(404);
  });

  it('reads no more than 64 kB of a body, and answers who goes on sending', async () => {
    const { api } = await openPage({ actions: { setFaults: (faults) => faults } });
    expect((await api('PUT', 'faults', { text: 'x'.repeat(60_000) })).status).toBe(200);
    expect(await api('PUT', 'faults', { text: 'x'.repeat(2_000_000) })).toMatchObject({ status: 413 });
    const { url, headers } = await openPage({ actions: { setFaults: (faults) => faults } });
    const broken = await call(`${url}api/faults`, { method: 'PUT', headers, body: '{"a":' });
    expect([broken.status, broken.text]).toEqual([400, '{"status":400,"message":"The body is not JSON in UTF-8."}']);
  });

  it('fails with the error of node:http when the port is taken', async () => {
    const { url } = await openPage();
    await expect(openPage({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
