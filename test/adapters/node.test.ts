import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { PassThrough } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type NodeRequest, nodeHandler } from '../../src/adapters/node.js';
import { RawBodyUnavailableError, type Receiver } from '../../src/index.js';
import { expectNothingUnhandled, Log, serve } from '../matrix/app.js';
import { framed, genuine, headersOf, now, SECRET, sign } from '../matrix/deliveries.js';
import { nodeTarget } from '../matrix/targets.js';
import { answerTo, head, Wire } from '../matrix/wire.js';
import { matrix } from '../matrix.js';

matrix(nodeTarget, { large: false });

describe('nodeHandler', () => {
  expectNothingUnhandled();

  const seen: string[] = [];
  const handler = nodeHandler({ secret: SECRET, now, store: false, onEvent: ({ id }) => void seen.push(id) });

  /** Sends a request to a listener, and gives the status of its answer. */
  async function statusFrom(listener: RequestListener, request: Uint8Array): Promise<number | undefined> {
    const { port } = await serve(listener);
    return (await answerTo(port, request))?.status;
  }

  it.each<[string, (request: NodeRequest) => Promise<unknown>]>([
    ['was read to its end', (request) => request.toArray()],
    ['was read in part', (request) => once(request, 'data')],
    ['is being decoded', async (request) => request.setEncoding('utf8')],
    ['has another listener that reads it', async (request) => request.on('readable', () => {})],
    [
      'was read, and every method of the request replaced, as Next does',
      async (request) => {
        await request.toArray();
        const { read, on, pipe } = request;
        Object.assign(request, { read: read.bind(request), on: on.bind(request), pipe: pipe.bind(request) });
      },
    ],
    [
      'was parsed into req.body',
      async (request) => Object.assign(request, { body: JSON.parse(String(await request.toArray())) }),
    ],
  ])('answers 500 when the body %s, says what to do, and lives on', async (_how, read) => {
    const reported = new Log<unknown>();
    const logged = new Log<unknown>();
    const log = () => {};
    const note = (about: object) => logged.add((about as { err: unknown }).err);
    const strict = nodeHandler({
      secret: SECRET,
      now,
      onEvent: () => {},
      onError: (error) => reported.add(error),
      logger: { debug: log, info: log, warn: note, error: note },
    });
    const listener: RequestListener = async (request, response) => {
      await read(request);
      // As people write it in node:http: nobody catches.
      void strict(request, response);
    };
    expect(await statusFrom(listener, framed(genuine()))).toBe(500);
    const error = expect.objectContaining({
      code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE',
      message: expect.stringMatching(/before anything reads the request.*Buffer in req\.rawBody/),
    });
    expect(reported.entries).toEqual([error]);
    expect(logged.entries).toEqual([error]);
    expect(reported.entries[0]).toBeInstanceOf(RawBodyUnavailableError);
    expect(await statusFrom(strict, framed(genuine()))).toBe(200);
  });

  it.each([
    ['gives a status that cannot be sent', async () => ({ status: 100_000, outcomes: [] })],
    ['gives a header that cannot be sent', async () => ({ status: 503, outcomes: [], retryAfterSeconds: '\r\n' })],
    ['gives nothing', async () => undefined],
  ])("never answers 2xx, rejects or hangs when a receiver of somebody's own %s", async (_how, receive) => {
    const own = { handle: receive, handleRequest: receive, drain: async () => {} } as never as Receiver;
    const settled: unknown[] = [];
    const { port } = await serve(
      (request, response) => void nodeHandler(own)(request, response).catch((e) => settled.push(e)),
    );
    expect([500, undefined]).toContain((await answerTo(port, framed(genuine())))?.status);
    expect(settled).toEqual([]);
  });

  it.each<[string, (bytes: Buffer) => object]>([
    ['a Buffer in rawBody', (rawBody) => ({ rawBody, body: [] })],
    ['text in rawBody', (bytes) => ({ rawBody: bytes.toString(), body: [] })],
    ['a Buffer in body', (body) => ({ body })],
    ['a Buffer in body beside a rawBody that is none', (body) => ({ body, rawBody: true })],
    ['bytes of another realm', (bytes) => ({ rawBody: runInNewContext('Uint8Array.from(bytes)', { bytes }) })],
  ])('takes %s from a host that has read the stream', async (_what, keep) => {
    const listener: RequestListener = async (request, response) => {
      const bytes = Buffer.concat(await request.toArray());
      await handler(Object.assign(request, keep(bytes)), response);
    };
    expect(await statusFrom(listener, framed(genuine()))).toBe(200);
    expect(await statusFrom(listener, framed({ ...genuine(), signature: '0'.repeat(64) }))).toBe(403);
  });

  // What the runtime of Vercel does before it calls a function with Node's signature.
  it('takes a body that the host has read and plays back, and does not look at its body', async () => {
    const looks = new Log<string>();
    const listener: RequestListener = async (request, response) => {
      const bytes = Buffer.concat(await request.toArray());
      const copy = new PassThrough();
      const on = request.on.bind(request);
      request.read = copy.read.bind(copy);
      request.on = ((name: string, listen: () => void) =>
        name === 'data' || name === 'end' ? copy.on(name, listen) : on(name, listen)) as never;
      copy.end(bytes);
      const get = () => {
        looks.add('parsed');
        return JSON.parse(String(bytes));
      };
      await handler(Object.defineProperty(request, 'body', { get }), response);
    };
    expect(await statusFrom(listener, framed(genuine()))).toBe(200);
    expect(await statusFrom(listener, framed({ ...genuine(), signature: '0'.repeat(64) }))).toBe(403);
    expect(await statusFrom(listener, framed(sign('not JSON')))).toBe(400);
    expect(looks.entries).toEqual([]);
  });

  it('counts the bytes of text that a host has kept, and not its characters', async () => {
    const delivery = sign(`["${'日'.repeat(100)}"]`);
    for (const [maxBodyBytes, status] of [
      [delivery.body.length, 200],
      [delivery.body.length - 1, 413],
    ] as const) {
      const limited = nodeHandler({ secret: SECRET, now, maxBodyBytes, onEvent: () => {}, onInvalid: () => {} });
      const listener: RequestListener = async (request, response) => {
        const rawBody = Buffer.concat(await request.toArray()).toString();
        await limited(Object.assign(request, { rawBody }), response);
      };
      expect(await statusFrom(listener, framed(delivery))).toBe(status);
    }
  });

  it('survives a sender who has gone before it is called, and answers nothing', async () => {
    const ended = new Log<boolean>();
    const listener: RequestListener = async (request, response) => {
      await new Promise<void>((resolve) => request.once('close', resolve));
      await handler(request, response);
      ended.add(response.headersSent);
    };
    const { port } = await serve(listener);
    const wire = await Wire.open(port);
    await wire.send(framed(genuine()).subarray(0, -1));
    wire.cut();
    await ended.reaches(1);
    expect(ended.entries).toEqual([false]);
  });

  it('gives a delivery up whose request the host destroys', async () => {
    const codes = new Log<string>();
    const listener = nodeHandler({ secret: SECRET, now, onEvent: () => {}, onError: ({ code }) => codes.add(code) });
    const { port } = await serve((request, response) => {
      void listener(request, response);
      request.destroy();
    });
    const wire = await Wire.open(port);
    await wire.send(framed(genuine()).subarray(0, -1));
    await codes.reaches(1);
    expect(codes.entries).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
    expect(await wire.answer()).toBeUndefined();
  });

  it('leaves an answer that the host has begun to the host', async () => {
    const { port } = await serve(async (request, response) => {
      response.writeHead(504, { 'Content-Length': 4 }).flushHeaders();
      await handler(request, response);
      response.end('late');
    });
    const forged = framed({ ...genuine(), signature: '' });
    expect(await answerTo(port, forged)).toMatchObject({ status: 504, body: 'late' });
  });

  it('answers before the body has come, and still takes it in before it closes the connection', async () => {
    const steps = new Log<string>();
    const { port } = await serve((request, response) => {
      request.once('end', () => steps.add('body received'));
      response.once('finish', () => steps.add('answer ended'));
      void handler(request, response);
    });
    const wire = await Wire.open(port);
    await wire.send(head([['Content-Length', '1000']]));
    expect(await wire.answer()).toMatchObject({ status: 403, body: '' });
    await wire.send(Buffer.alloc(1000));
    await wire.closed();
    await steps.reaches(2);
    expect(steps.entries).toEqual(['body received', 'answer ended']);
  });

  it('joins a header that Node keeps as a list, so that a repeated one is refused', async () => {
    const headers = { signature: 'Set-Cookie', timestamp: 'X-Time' };
    const listener = nodeHandler({ secret: SECRET, now, headers, onEvent: () => {} });
    const delivery = genuine();
    const [type, signature, timestamp] = headersOf(delivery, headers);
    const once = [type, signature, timestamp].filter((each) => each !== undefined);
    expect(await statusFrom(listener, framed(delivery, once))).toBe(200);
    expect(await statusFrom(listener, framed(delivery, [...once, ['Set-Cookie', delivery.signature]]))).toBe(403);
  });
});
