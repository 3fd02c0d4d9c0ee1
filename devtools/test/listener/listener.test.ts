import { createConnection } from 'node:net';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { call } from '../page/call.js';
import { closedUrl } from '../servers.js';
import { app, listen, SECRET, signed } from './listening.js';

describe('a listener without a target', () => {
  it('answers like a receiver at any path, and records each delivery', async () => {
    const { url, feed } = await listen();
    for (const path of ['/', '/webhooks', '/a/b?c=d']) expect((await call(url + path, signed())).status).toBe(200);
    expect((await call(url, signed(undefined, 'whsec-of-somebody-else'))).status).toBe(403);
    expect((await call(url, { method: 'POST', body: '[]' })).status).toBe(403);
    expect((await call(url, signed([{ id: 1 }]))).status).toBe(422);
    expect((await call(url)).status).toBe(405);
    const records = feed.list();
    expect(records.map((record) => lastOf(record).status)).toEqual([200, 200, 200, 403, 403, 422]);
    expect(records.map(({ target }) => target).slice(0, 3)).toEqual(['/', '/webhooks', '/a/b?c=d']);
    expect(lastOf(records[3] as KeptDelivery)).toMatchObject({ code: 'ERR_WEBHOOK_SIGNATURE' });
  });

  it('records whether each delivery was authentic, and closes the connection if it was not', async () => {
    const { url, feed } = await listen();
    const closed = [];
    for (const delivery of [signed(), signed([{ id: 1 }]), signed(undefined, 'whsec-of-somebody-else')]) {
      closed.push(
        (await call(url, { ...delivery, headers: { ...delivery.headers, Connection: 'keep-alive' } })).headers
          .connection,
      );
    }
    expect(feed.list().map(({ verified }) => verified)).toEqual([true, true, false]);
    expect(closed).toEqual(['keep-alive', 'keep-alive', 'close']);
  });

  it('answers 413 to a body that is too large, and drops it', async () => {
    const { url, feed, last } = await listen({ maxBodyBytes: 1_000 });
    expect((await call(url, { method: 'POST', body: 'x'.repeat(1_001), headers: signed().headers })).status).toBe(413);
    expect(last().code).toBe('ERR_WEBHOOK_BODY_TOO_LARGE');
    expect(feed.list()[0]).toMatchObject({ bodyDropped: true });
  });

  it('answers 413 to an authentic delivery of too many items, and shows it', async () => {
    const { url, feed, last } = await listen();
    const body = `[${'1,'.repeat(10_000)}1]`;
    const { headers } = signDelivery(body, { secret: SECRET });
    expect((await call(url, { method: 'POST', body, headers })).status).toBe(413);
    expect(last()).toMatchObject({
      code: 'ERR_WEBHOOK_BODY_TOO_LARGE',
      reason: expect.stringContaining('10001 items, more than maxEvents (10000)'),
    });
    expect(feed.list()[0]).toMatchObject({ verified: true });
    expect(feed.list()[0]?.rawBody).toHaveLength(body.length);
  });

  it('reports each delivery after it was answered, with its headers as sent', async () => {
    const told: unknown[] = [];
    const { url } = await listen({
      onDelivery: (record, about) => told.push([lastOf(record).status, lastOf(record).headers, about]),
      onOther: (about) => told.push(about),
    });
    const { headers, ...delivery } = signed();
    await call(`${url}/x`, { ...delivery, headers: { ...headers, 'X-ODD-case': 'A, b' } });
    await call(`${url}/favicon.ico`);
    expect(told).toEqual([
      [200, expect.arrayContaining([['X-ODD-case', 'A, b']]), { method: 'POST', path: '/x' }],
      { method: 'GET', path: '/favicon.ico', status: 405 },
    ]);
  });
});

describe('a listener with a target', () => {
  it('forwards the exact bytes and headers, in their order and spelling, to the target URL', async () => {
    const { target, got, host } = await app();
    const { url } = await listen({ target });
    const body = Buffer.concat([
      Buffer.from(createTestDelivery([sampleEventEmitted()], { secret: SECRET }).rawBody),
      Buffer.from('\n '),
    ]);
    const { headers } = signDelivery(body, { secret: SECRET });
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    const lines = [
      'Host: hooks.example',
      'x-FIRST: 1',
      `X-service-SIGNATURE: ${headers['X-Service-Signature']}`,
      `X-Service-Timestamp: ${headers['X-Service-Timestamp']}`,
      'X-Twice: a',
      'X-Latin: caf\u00E9',
      'X-Twice: b',
      'Connection: close, X-Hop',
      'X-Hop: not handed on',
      'Transfer-Encoding: chunked',
    ];
    const half = body.length >> 1;
    socket.write(Buffer.from(`POST /any HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
    for (const part of [body.subarray(0, half), body.subarray(half)]) {
      socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
    }
    socket.write('0\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(got).toHaveLength(1);
    expect(got[0]?.url).toBe('/hooks?a=1');
    expect(got[0]?.body.equals(body)).toBe(true);
    const sent = got[0]?.headers ?? [];
    expect(sent.slice(0, 14)).toEqual([
      ...['Host', host, 'x-FIRST', '1', 'X-service-SIGNATURE', headers['X-Service-Signature']],
      ...[
        'X-Service-Timestamp',
        headers['X-Service-Timestamp'],
        'X-Twice',
        'a',
        'X-Latin',
        'caf\u00E9',
        'X-Twice',
        'b',
      ],
    ]);
    expect(sent).not.toContain('X-Hop');
    expect(sent).not.toContain('chunked');
    expect(sent[sent.indexOf('Content-Length') + 1]).toBe(String(body.length));
  });

  it('relays the status of the target and its Retry-After', async () => {
    for (const status of [200, 204, 202, 400, 403, 422, 429, 500, 503]) {
      const { target } = await app((_, response) =>
        response.writeHead(status, { 'Retry-After': '7', 'Set-Cookie': 'a=b' }).end(),
      );
      const { url, last } = await listen({ target });
      const answer = await call(url, signed());
      expect([answer.status, answer.headers['retry-after'], answer.headers['set-cookie'], answer.text]).toEqual([
        status,
        '7',
        undefined,
        '',
      ]);
      expect(last().status).toBe(status);
      expect(last().reason).toBe(status < 300 ? undefined : `The target answered ${status}.`);
    }
  });

  it('does not forward refused deliveries', async () => {
    const { target, got } = await app();
    const { url } = await listen({ target });
    const other = signed(undefined, 'whsec-of-somebody-else');
    const body = 'not json';
    const nonsense = { method: 'POST', body, headers: signDelivery(body, { secret: SECRET }).headers };
    const statuses = [];
    for (const delivery of [other, { method: 'POST', body: '[]' }, nonsense])
      statuses.push((await call(url, delivery)).status);
    expect(statuses).toEqual([403, 403, 400]);
    expect(got).toEqual([]);
  });

  it('answers 503 with Retry-After when the target cannot be reached', async () => {
    const { url, last } = await listen({ target: new URL(await closedUrl()) });
    const answer = await call(url, signed());
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(last()).toMatchObject({
      status: 503,
      code: 'ECONNREFUSED',
      reason: expect.stringContaining('nothing is listening'),
    });
  });

  it('relays the status of a redirect without its Location, and does not follow it', async () => {
    const elsewhere = await app();
    const { target } = await app((_, response) => response.writeHead(307, { Location: elsewhere.target.href }).end());
    const { url } = await listen({ target });
    const answer = await call(url, signed());
    expect([answer.status, answer.headers.location]).toEqual([307, undefined]);
    expect(elsewhere.got).toEqual([]);
  });
});
