import { once } from 'node:events';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { serving, withTwo } from './service.js';

const url = 'https://example.com/webhooks';

describe('a request to the API of the local service', () => {
  it.each([
    ['PUT', '', 'GET, POST'],
    ['POST', '/count', 'GET'],
    ['POST', '/1', 'GET, PUT, DELETE'],
    ['DELETE', '/1/events', 'GET'],
    ['PATCH', '/1/events/count', 'GET'],
  ])('answers %s %s with 405 and what is allowed', async (method, path, allow) => {
    const { call } = await withTwo();
    const { http, headers } = await call(method, path);
    expect([http, headers.get('allow')]).toEqual([405, allow]);
  });

  it('accepts only JSON, without an encoding', async () => {
    const { call } = await serving();
    const body = { label: 'a', url };
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json; charset=latin1',
    ]) {
      expect(await call('POST', '', body, { 'Content-Type': type })).toMatchObject({ http: 415, status: 415 });
    }
    expect(await call('POST', '', body, { 'Content-Encoding': 'gzip' })).toMatchObject({ http: 415 });
    expect(await call('POST', '', body, { 'Content-Type': 'application/json; charset=utf-8' })).toMatchObject({
      http: 200,
    });
    expect(await call('PUT', '/1', {})).toMatchObject({ http: 400 });
  });

  it('refuses a large body with 413, also while it is still being sent', async () => {
    const { call, service } = await serving();
    expect(await call('POST', '', `"${'x'.repeat(65 * 1024)}"`)).toMatchObject({ http: 413, status: 413 });
    const headers = { Authorization: `Bearer ${service.apiKeys[0]}`, 'Content-Type': 'application/json' };
    const sending = request(`${service.url}/api/v0/webhooks`, { method: 'POST', headers });
    sending.write('x'.repeat(70 * 1024));
    const [response] = await once(sending, 'response');
    expect(response.statusCode).toBe(413);
    sending.destroy();
  });

  it.each([
    ['none', undefined],
    ['another', 'Bearer wrong'],
    ['one that begins alike', 'Bearer ke'],
    ['one with something behind', 'Bearer keyy'],
    ['an empty one', 'Bearer '],
    ['basic authentication', 'Basic key'],
    ['the key alone', 'key'],
    ['two', 'Bearer key, Bearer key'],
  ])('answers 401 to %s for a key, whatever is asked for', async (_title, header) => {
    const { service } = await serving({ apiKeys: ['key', 'other'] });
    for (const path of ['/api/v0/webhooks', '/api/v0/webhooks/1', '/elsewhere']) {
      const response = await fetch(
        service.url + path,
        header === undefined ? {} : { headers: { Authorization: header } },
      );
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ status: 401 });
    }
  });

  it('answers only under its own address', async () => {
    const { service } = await serving();
    const { port } = new URL(service.url);
    const status = async (host: string) => {
      const socket = createConnection(Number(port), '127.0.0.1');
      const lines = [`GET /api/v0/webhooks HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${service.apiKeys[0]}`];
      socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
      return Number((await text(socket)).split(' ')[1]);
    };
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`LOCALHOST:${port}`)).toBe(200);
    expect(await status(`[::1]:${port}`)).toBe(200);
    expect(await status(`rebound.example:${port}`)).toBe(421);
    expect(await status('127.0.0.1')).toBe(421);
    expect(await status('')).toBe(421);
  });
});
