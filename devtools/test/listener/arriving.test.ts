import { createConnection, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it, onTestFinished } from 'vitest';
import { call } from '../page/call.js';
import { listen, signed } from './listening.js';

const bounded = (bytes: number) => listen({ maxArrivingBytes: bytes, maxBodyBytes: bytes });

/** A delivery of which the last bytes of the body are kept back; what is answered ends the connection. */
function half(url: string, target = '/'): { answer: Promise<string>; finish(): Socket } {
  const { body, headers } = signed();
  const lines = Object.entries({ Host: 'x', Connection: 'close', ...headers, 'Content-Length': body.length });
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${target} HTTP/1.1\r\n${head}\r\n${body.slice(0, -100)}`);
  return { answer: text(socket), finish: () => socket.end(body.slice(-100)) };
}

it('asks the sender of a body to come again that is too much beside those that are arriving', async () => {
  // Room for one and a half of them.
  const { url, feed } = await bounded(Math.round(JSON.stringify([sampleEventEmitted()]).length * 1.5));
  const both = [half(url), half(url)];
  const [refused, index] = await Promise.race(both.map(async ({ answer }, at) => [await answer, at] as const));
  expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: /);
  const other = both[1 - index];
  other?.finish();
  expect(await other?.answer).toMatch(/^HTTP\/1\.1 200 /);
  // What has arrived makes room again.
  expect((await call(url, signed())).status).toBe(200);
  expect(feed.list()).toHaveLength(3);
});

it('keeps the path of a request for a whole URL, and not the host that its sender names', async () => {
  const { url, feed } = await bounded(1_000_000);
  for (const target of ['http://elsewhere.example/hooks?a=1', 'http://elsewhere.example', '/plain']) {
    const { answer, finish } = half(url, target);
    finish();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(feed.list().map(({ target }) => target)).toEqual(['/hooks?a=1', '/', '/plain']);
});
