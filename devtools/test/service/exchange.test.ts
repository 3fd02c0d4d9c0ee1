import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { exchange } from '../../src/service/exchange.js';
import { serve, talking } from '../servers.js';

/** What is kept of the response of a server. */
async function keptOf(url: string) {
  const open = () => request(url, { method: 'POST', agent: false });
  const { response } = await exchange(open, { body: Buffer.from('[]'), timeoutMs: 10_000, captureMs: 10_000 });
  const kept = await response;
  return { ...kept, text: Buffer.from(kept?.bodyBase64 ?? '', 'base64').toString() };
}

const answered = async (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  keptOf(await serve((_, response) => void response.writeHead(200, headers).end(body)));

describe('what is kept of a response', () => {
  it('are its headers and its body as received', async () => {
    const { headers, text, bytes, truncated } = await answered('{"a":1}', { 'X-ODD': 'A, b' });
    expect({ text, bytes, truncated }).toEqual({ text: '{"a":1}', bytes: 7, truncated: undefined });
    expect(headers).toContainEqual(['X-ODD', 'A, b']);
  });

  it('marks a body that was cut off', async () => {
    const { url } = await talking((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
    expect(await keptOf(url)).toMatchObject({ text: 'half', truncated: true, bytes: 4 });
  });

  it('are 16 KiB of headers and body together', async () => {
    const { headers = [], text, truncated } = await answered('a'.repeat(200_000), { X: 'x'.repeat(4_000) });
    expect(truncated).toBe(true);
    expect(text.length + headers.flat().join('').length).toBe(16 * 1024);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['Deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is decompressed from %s', async (encoding, compress) => {
    const { text, truncated } = await answered(compress('Mount the route'), { 'Content-Encoding': encoding });
    expect([text, truncated]).toEqual(['Mount the route', undefined]);
  });

  it('is the start of a large compressed body, and the bytes of a huge one', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    expect(await answered(gzipSync('a'.repeat(500_000)), gzip)).toMatchObject({
      text: expect.stringMatching(/^a{15000,16384}$/),
      truncated: true,
    });
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect((await answered(bomb, gzip)).bodyBase64).toBe(bomb.toString('base64'));
  });

  it('are bytes that do not have the encoding that is claimed, or an unknown one, as they are', async () => {
    for (const encoding of ['gzip', 'br', 'zstd'])
      expect(await answered('plain', { 'Content-Encoding': encoding })).toMatchObject({ text: 'plain' });
    expect(await answered('', { 'Content-Encoding': 'gzip' })).toMatchObject({ text: '' });
  });
});
