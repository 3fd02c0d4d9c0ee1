import { ReadableStream, type UnderlyingSource } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { RawBodyUnavailableError } from '../../src/index.js';
import type { OnEventOptions } from '../../src/receiver/options.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { type Delivery, fetchRequest, genuine, now, SECRET } from '../matrix/deliveries.js';

// Bare requests, with streams of a kind that no server makes. The matrix has those that come over HTTP.

type Body = RequestInit['body'];

const requestOf = (delivery: Delivery, body: Body = delivery.body) => fetchRequest(delivery, { body });

function start(options: Partial<OnEventOptions> = {}) {
  const seen: string[] = [];
  const codes: string[] = [];
  const handler = fetchHandler({
    secret: SECRET,
    now,
    ...options,
    onEvent: ({ id }) => void seen.push(id),
    onError: ({ code }) => void codes.push(code),
  });
  return { handler, seen, codes };
}

/** A body whose source does as it likes. */
function streamOf(source: UnderlyingSource<unknown>): Body {
  return new ReadableStream(source, { highWaterMark: 0 }) as Body;
}

describe('fetchHandler', () => {
  expectNothingUnhandled();

  it.each<[string, (request: Request) => unknown]>([
    ['was read', (request) => request.text()],
    ['is being read', (request) => request.body?.getReader()],
    [
      'was read in part and let go',
      async (request) => {
        const reader = request.body?.getReader();
        await reader?.read();
        reader?.releaseLock();
      },
    ],
  ])('rejects with what to do when the body %s', async (_how, read) => {
    const { handler, seen } = start();
    const request = requestOf(genuine());
    await read(request);
    await expect(handler(request)).rejects.toThrow(RawBodyUnavailableError);
    await expect(handler(request)).rejects.toThrow(
      /before anything reads the body .* earlier reader use request\.clone\(\)/,
    );
    expect(seen).toEqual([]);
  });

  it('answers 413 when a host with a limit of its own fails the stream', async () => {
    const { handler, codes } = start();
    const error = Object.assign(new Error('Payload Too Large'), { status: 413 });
    const body = streamOf({ pull: (controller) => controller.error(error) });
    expect((await handler(requestOf(genuine(), body))).status).toBe(413);
    expect(codes).toEqual(['ERR_WEBHOOK_BODY_TOO_LARGE']);
  });

  it.each([[null], ['text'], [{ status: 200 }]])('answers 503 when the stream fails with %j', async (error) => {
    const { handler, codes } = start();
    const body = streamOf({ pull: (controller) => controller.error(error) });
    expect((await handler(requestOf(genuine(), body))).status).toBe(503);
    expect(codes).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
  });

  it.each([['text'], [17], [[91, 93]], [{ byteLength: 2 }], [null]])(
    'answers 503 when the stream gives %j for bytes',
    async (chunk) => {
      const { handler, codes, seen } = start();
      const body = streamOf({
        pull(controller) {
          controller.enqueue(chunk);
          controller.close();
        },
      });
      expect((await handler(requestOf(genuine(), body))).status).toBe(503);
      expect(codes).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
      expect(seen).toEqual([]);
    },
  );

  it.each<[string, () => Promise<void>]>([
    ['hangs too', () => new Promise(() => {})],
    ['fails', () => Promise.reject(new Error('the source cannot be cancelled'))],
  ])('answers 503 when the source hangs and cancelling it %s', async (_how, cancel) => {
    const { handler, codes } = start({ receiveTimeoutMs: 20 });
    const body = streamOf({ pull: () => new Promise(() => {}), cancel });
    expect((await handler(requestOf(genuine(), body))).status).toBe(503);
    expect(codes).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
  });

  it('lets a request go that it refuses without its body', async () => {
    const { handler } = start();
    const request = requestOf(genuine());
    request.headers.set('Content-Encoding', 'gzip');
    expect((await handler(request)).status).toBe(415);
    expect(request.bodyUsed).toBe(false);
  });
});
