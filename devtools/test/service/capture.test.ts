import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { AttemptResponse } from '../../src/service/attempt.js';
import { createCapture, MOST_KEPT } from '../../src/service/capture.js';

const text = ({ bodyBase64 }: AttemptResponse) => Buffer.from(bodyBase64, 'base64').toString();

/** What is kept of a response with these headers and chunks. */
function captured(chunks: readonly (string | Uint8Array)[], headers: Record<string, string> = {}, complete = true) {
  const capture = createCapture({ complete, headers, rawHeaders: Object.entries(headers).flat() } as never);
  for (const chunk of chunks) capture.take(Buffer.from(chunk as string));
  return { capture, end: capture.end() };
}

describe('createCapture', () => {
  it('keeps headers and body as received', async () => {
    const { capture, end } = captured(['{"a"', ':1}'], { 'X-ODD': 'A, b' });
    expect(await end).toEqual({ headers: [['X-ODD', 'A, b']], bodyBase64: 'eyJhIjoxfQ==', bytes: 7 });
    expect(capture.full).toBe(false);
    expect(await capture.end()).toBe(await end);
  });

  it('marks a body that was cut off', async () => {
    expect(await captured(['half'], {}, false).end).toMatchObject({ truncated: true, bytes: 4 });
  });

  it('keeps 16 KiB of headers and body together, and counts the rest', async () => {
    const { capture, end } = captured(['a'.repeat(10_000), 'b'.repeat(10_000), 'c'], { X: 'x'.repeat(4_000) });
    const kept = await end;
    expect(capture.full).toBe(true);
    expect(kept).toMatchObject({ bytes: 20_001, truncated: true });
    expect(text(kept)).toHaveLength(MOST_KEPT - 4_001);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['Deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decompresses %s', async (encoding, compress) => {
    const kept = await captured([compress('Mount the route')], { 'content-encoding': encoding }).end;
    expect(text(kept)).toBe('Mount the route');
    expect(kept.truncated).toBeUndefined();
  });

  it('decompresses at most as much as it keeps', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const kept = await captured([bomb], { 'content-encoding': 'gzip' }).end;
    expect(Buffer.from(kept.bodyBase64, 'base64').byteLength).toBeLessThanOrEqual(MOST_KEPT);
    expect(kept.truncated).toBe(true);
  });

  it('keeps bytes that do not have the encoding that is claimed, or an unknown one, as they are', async () => {
    expect(text(await captured(['plain'], { 'content-encoding': 'gzip' }).end)).toBe('plain');
    expect(text(await captured(['plain'], { 'content-encoding': 'zstd' }).end)).toBe('plain');
    expect(text(await captured([], { 'content-encoding': 'gzip' }).end)).toBe('');
  });
});
