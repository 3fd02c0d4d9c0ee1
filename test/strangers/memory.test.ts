import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readBody } from '../../src/receive/request.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { genuine, headersOf } from '../matrix/deliveries.js';
import { head } from '../matrix/wire.js';
import { HOSTS, serve } from './hosts.js';
import { statusOverHttp1 } from './strangers.js';

const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Bytes that are really held, on and off the heap: what could be collected does not count. */
function held(): number {
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A stranger's request with a body that lacks its last byte. */
function unfinished(bytes: number): Buffer {
  const headers = headersOf({ ...genuine(), signature: '0'.repeat(64) });
  return Buffer.concat([head([...headers, ['Content-Length', String(bytes)]]), Buffer.alloc(bytes - 1, '[')]);
}

/** Sends it from so many strangers, one after another. */
async function stall(port: number, count: number, part: Buffer): Promise<void> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    // One that is dropped half way sees a reset, or the end.
    await new Promise<void>((resolve) => {
      socket.on('error', () => {}).on('close', () => resolve());
      socket.resume().write(part, () => resolve());
    });
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
}

describe.each(HOSTS.filter(({ http2 }) => !http2))('$name', (host) => {
  expectNothingUnhandled();

  it('holds no more than maxArrivingBytes of 60 stalled bodies, and drops those that have been arriving longest', async () => {
    const { port, refused } = await serve(host, { maxBodyBytes: MIB, maxArrivingBytes: 8 * MIB });
    expect(await statusOverHttp1(port, genuine())).toBe(200);
    const part = unfinished(MIB);
    const before = held();
    await stall(port, 60, part);
    await refused.reaches(52);
    expect(await statusOverHttp1(port, genuine())).toBe(200);
    // With the sockets of both ends, those that were dropped as soon as they are closed, and what the test itself keeps.
    await vi.waitFor(() => expect(held() - before).toBeLessThan(2 * 8 * MIB), { timeout: 4000, interval: 50 });
    expect(new Set(refused.entries.map(({ code }) => code))).toEqual(new Set(['ERR_WEBHOOK_OVERLOADED']));
    expect(refused.entries.every(({ message }) => message.includes('maxArrivingBytes'))).toBe(true);
  });
});

it.each([
  ['one byte', 255, 1],
  ['a few bytes', 1000, 7],
  ['1023 bytes', 15, 1023],
])('keeps little more than the bytes of senders who drip %s at a time', (_what, chunks, size) => {
  const arrival = { received: () => {}, onDrop: () => {} };
  const limits = { maxBodyBytes: MIB, timeoutMs: 1000, arrival };
  const before = held();
  const bodies = Array.from({ length: 1000 }, () =>
    readBody((add) => {
      for (let at = 0; at < chunks; at++) add(Buffer.alloc(size));
      return () => {};
    })(limits),
  );
  for (const body of bodies) body.catch(() => {});
  expect((held() - before) / bodies.length).toBeLessThan(2.5 * chunks * size + 2000);
});
