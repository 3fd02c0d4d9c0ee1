import { getEventListeners, once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRpc, type RpcOptions } from '../../src/chain/rpc.js';
import { rpcUrlOf } from '../../src/chain/rpc-url.js';

const KEY = 'k3y0123456789abcdef';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const options = { timeoutMs: 30_000 };
const call = (url: string, other: Partial<RpcOptions> = {}) =>
  createRpc(rpcUrlOf(url), { ...options, signal: new AbortController().signal, ...other })('eth_chainId', []);

/** For a call that is to fail. */
const asError = (caught: unknown) => caught as Error;

/** What is sent for one body, and how often it was asked for. */
async function answering(...answers: (string | [status: number, body: string, headers?: Record<string, string>])[]) {
  const seen: { url: string | undefined; authorization: string | undefined; body: string }[] = [];
  const host = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const answer = answers[seen.length] ?? answers.at(-1) ?? '';
    seen.push({ url: request.url, authorization: request.headers.authorization, body });
    const [status, text, headers] = typeof answer === 'string' ? [200, answer, {}] : answer;
    response.writeHead(status, headers).end(text);
  });
  return { host, seen };
}

const result = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' });

describe('a call of a node', () => {
  it('is JSON-RPC 2.0 with the path, the query, the user and the password of the URL', async () => {
    const { host, seen } = await answering(result);
    expect(await call(`http://user:p%40ss@${host}/v3/${KEY}?x=1`)).toBe('0x1');
    expect(seen).toEqual([
      {
        url: `/v3/${KEY}?x=1`,
        authorization: `Basic ${btoa('user:p@ss')}`,
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      },
    ]);
  });

  it('is made once more if the connection breaks', async () => {
    let breaks = 1;
    const host = await serve((_, response) => void (breaks-- > 0 ? response.destroy() : response.end(result)));
    expect(await call(`http://${host}`)).toBe('0x1');
    breaks = 2;
    await expect(call(`http://${host}`)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  const error = (message: unknown, code: unknown = -32001) => JSON.stringify({ id: 1, error: { code, message } });
  it.each<[string, string | [number, string], string, string]>([
    ['an error', error('limit'), 'the node returned an error: "limit" (-32001).', 'refused'],
    ['an error under an HTTP status', [400, error('bad project')], 'HTTP 400: "bad project" (-32001).', 'refused'],
    ['a page', [404, '<html>'], 'HTTP 404.', 'refused'],
    ['no JSON', '<html>', 'the answer is not JSON-RPC. Is this the URL of a node?', 'malformed'],
    ['nothing', [204, ''], 'the answer is not JSON-RPC. Is this the URL of a node?', 'malformed'],
    ['no result', '{"id":1}', 'the answer has no result.', 'malformed'],
    ['a redirect', [307, ''], 'the node is unreachable. Is it running?', 'unreachable'],
  ])('says what it got when that is %s', async (_, answer, message, reason) => {
    const { host } = await answering(Array.isArray(answer) ? [...answer, { location: 'http://127.0.0.1:9/' }] : answer);
    const expected = { name: 'RpcError', message: `eth_chainId at http://${host} failed: ${message}`, reason };
    await expect(call(`http://${host}`)).rejects.toMatchObject(expected);
  });

  it.each(['"1"', '7', 'null'])('takes a result whose id is %s: text, or that of a cached answer', async (id) => {
    const { host } = await answering(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`);
    expect(await call(`http://${host}`)).toBe('0x1');
  });

  it('says that a node has no TLS', async () => {
    const { host } = await answering('{}');
    await expect(call(`https://${host}`)).rejects.toThrow('no TLS connection. Use http: for a node without TLS');
  });

  it.each<[string, [number, string, Record<string, string>?], object]>([
    ['HTTP 429', [429, '', { 'retry-after': '7' }], { reason: 'rate-limited', retryAfterMs: 7000 }],
    [
      'HTTP 429 without a time',
      [429, '', { 'retry-after': 'soon' }],
      { reason: 'rate-limited', retryAfterMs: undefined },
    ],
    [
      'HTTP 200 from Alchemy',
      [200, error('Your app has exceeded its compute units per second capacity', 429)],
      { reason: 'rate-limited' },
    ],
    ['HTTP 200 from QuickNode', [200, error('50/second request limit reached', -32007)], { reason: 'rate-limited' }],
    ['too many results', [200, error('query returned more than 10000 results', -32005)], { reason: 'refused' }],
    ['HTTP 503 with Retry-After', [503, '', { 'retry-after': '3' }], { reason: 'unreachable', retryAfterMs: 3000 }],
    ['HTTP 504', [504, ''], { reason: 'timeout' }],
  ])('tells a busy node from one that refuses: %s', async (_, answer, expected) => {
    const { host, seen } = await answering(answer);
    await expect(call(`http://${host}`)).rejects.toMatchObject(expected);
    expect(seen).toHaveLength(1);
  });

  it('waits for its turn when as many as allowed are under way, whether these fail or not', async () => {
    let [seen, most] = [0, 0];
    const held: ServerResponse[] = [];
    const host = await serve(async (request, response) => {
      for await (const _ of request);
      most = Math.max(most, held.push(response));
      if (++seen % 8 !== 0) return;
      for (const each of held.splice(0)) each.writeHead(seen % 16 ? 400 : 200).end(result);
    });
    const rpc = createRpc(rpcUrlOf(`http://${host}`), options);
    const calls = await Promise.allSettled(Array.from({ length: 24 }, () => rpc('eth_chainId', [])));
    expect(calls).toHaveLength(24);
    expect(most).toBe(8);
  });

  it('never tells of the URL more than its origin, even where the node does', async () => {
    const path = `/v3/${KEY}?token=${KEY}%2F2`;
    const basic = btoa('secretuser:secretword');
    const said = `no such project ${KEY}, nor ${KEY}/2, nor secretuser, nor Basic ${basic}, at http://x${path}`;
    const errors: Error[] = [];
    const { host } = await answering([401, error(said)], error(said), '<html>', '{}', [307, '', { location: path }]);
    for (let at = 0; at < 5; at++)
      errors.push((await call(`http://secretuser:secretword@${host}${path}`).catch(asError)) as Error);
    errors.push((await call(`http://127.0.0.1:9${path}`).catch(asError)) as Error);
    for (const each of errors) {
      expect(each.name).toBe('RpcError');
      const text = `${each.message} ${each.stack} ${JSON.stringify(each)} ${each.cause}`;
      expect(text).not.toMatch(new RegExp(`${KEY}|secret|${basic}`));
    }
    expect(errors[0]?.message).toContain('no such project …, nor …');
  });

  it('is reported in short text without control characters', async () => {
    const { host } = await answering(error(`\u001b[31m\u202e\n${'long'.repeat(1000)}`));
    const { message } = (await call(`http://${host}`).catch(asError)) as Error;
    expect(message).toMatch(/returned an error: "\?\[31m\?\?longlong/);
    expect(message.length).toBeLessThan(500);
  });

  it('ends when no answer has come, or not all of it', async () => {
    const silent = await serve(() => {});
    await expect(call(`http://${silent}`, { timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms.');
    await expect(call(`http://${silent}`, { timeoutMs: 50 })).rejects.toMatchObject({ reason: 'timeout' });
    const slow = await serve((_, response) => void response.write('{"id":1,'));
    await expect(call(`http://${slow}`, { timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms.');
  });

  it('ends with its signal, and leaves no listener there', async () => {
    const controller = new AbortController();
    let seen = 0;
    const host = await serve(() => void seen++);
    const waiting = call(`http://${host}`, { signal: controller.signal });
    while (seen === 0) await new Promise(setImmediate);
    controller.abort();
    await expect(waiting).rejects.toThrow('aborted by the caller.');
    await expect(call(`http://${host}`, { signal: controller.signal })).rejects.toThrow('aborted by the caller.');
    expect(seen).toBe(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('reads no more of an answer than it takes', async () => {
    let written = 0;
    const host = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });
    await expect(call(`http://${host}`)).rejects.toThrow('the answer is longer than 33554432 bytes.');
    expect(written).toBeLessThan(50_000_000);
  });
});
