import type { RequestListener } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { createGunzip, gzipSync } from 'node:zlib';
import type { FastifyServerOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { expectNothingUnhandled, serve } from '../matrix/app.js';
import { genuine, genuineOfSize, headersOf } from '../matrix/deliveries.js';
import { fastifyTarget } from '../matrix/targets.js';
import { answerTo, head } from '../matrix/wire.js';
import { matrix } from '../matrix.js';
import { create, forged, inject, listen, post, type Settings } from './fastify-app.js';

matrix(fastifyTarget, { large: false });

describe('fastifyPlugin', () => {
  expectNothingUnhandled();

  it("takes 5 MB where the app's bodyLimit is 10 bytes, and refuses what is over maxBodyBytes", async () => {
    const { app, refused } = create({ server: { bodyLimit: 10 } });
    const port = await listen(app);
    expect(await post(port, genuineOfSize(5_000_000))).toMatchObject({ status: 200 });
    expect(await post(port, genuineOfSize(11_000_000))).toMatchObject({ status: 413, body: '' });
    expect(refused.entries).toEqual(['ERR_WEBHOOK_BODY_TOO_LARGE']);
  });

  it.each(['application/json; charset=latin1', 'text/plain', 'multipart/form-data', 'nonsense', ';;', 'a/b c', ''])(
    'takes the content type "%s"',
    async (type) => {
      const { app, passed } = create();
      const delivery = genuine();
      const [, ...signed] = headersOf(delivery);
      const port = await listen(app);
      expect(await post(port, delivery, [['Content-Type', type], ...signed])).toMatchObject({ status: 200 });
      expect(await post(port, forged(), [['Content-Type', type]])).toMatchObject({ status: 403, body: '' });
      expect(passed.entries).toEqual([]);
    },
  );

  it.each(['HEAD', 'TRACE', 'PATCH', 'QUERY'] as const)('answers 405 with Allow to %s', async (method) => {
    const { app } = create();
    const answer = await app.inject({ method: method as 'HEAD', url: '/webhooks' });
    expect(answer).toMatchObject({ statusCode: 405, body: '', headers: { allow: 'POST' } });
  });

  it('leaves a method that the app does not know, and paths below its own, to the app', async () => {
    const { app } = create({
      before: (app) => app.setNotFoundHandler((_request, reply) => reply.code(404).send('of the app')),
    });
    expect(await answerTo(await listen(app), head([], 'PROPFIND'))).toMatchObject({ status: 404, body: 'of the app' });
    expect(await inject(app, genuine(), { url: '/webhooks/other' })).toMatchObject({ body: 'of the app' });
  });

  it.each<[prefix: string, url: string, server: FastifyServerOptions]>([
    ['/webhooks', '/webhooks', {}],
    ['/webhooks', '/webhooks/', {}],
    ['/webhooks', '/webhooks?from=here', {}],
    ['/webhooks', '/webhooks/', { routerOptions: { ignoreTrailingSlash: true } }],
    ['/webhooks/', '/webhooks/', {}],
    ['/webhooks/', '/webhooks', { routerOptions: { ignoreTrailingSlash: true } }],
    ['/webhooks/', '/webhooks/', { routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true } }],
    ['webhooks', '/webhooks', {}],
    ['/', '/', {}],
    ['', '/', {}],
    ['/of/:tenant', '/of/me', {}],
  ])('registered with prefix "%s" answers at %s', async (prefix, url, server) => {
    const { app } = create({ prefix, server });
    expect((await inject(app, genuine(), { url })).statusCode).toBe(200);
    expect((await inject(app, genuine(), { url, method: 'GET' })).statusCode).toBe(405);
  });

  it.each<[string, Settings['before']]>([
    [
      'a hook has read it',
      (app) =>
        app.addHook('preParsing', async ({ raw }) => {
          await raw.toArray();
        }),
    ],
    [
      'a hook decodes it',
      (app) =>
        app.addHook('preParsing', async ({ raw }) => {
          raw.setEncoding('utf8');
        }),
    ],
    [
      'a hook has read the stream that it gives in its place',
      (app) =>
        app.addHook('preParsing', async (_request, _reply, payload) => {
          const copy = payload.pipe(new PassThrough());
          await copy.toArray();
          return copy;
        }),
    ],
    [
      'a hook has parsed it',
      (app) =>
        app.addHook('preValidation', async (request) => {
          request.body = JSON.parse(String(await request.raw.toArray()));
        }),
    ],
  ])('gives the app an error with the fix when %s', async (_how, before) => {
    const { app, passed, refused } = create(before === undefined ? {} : { before });
    const port = await listen(app);
    for (const delivery of [genuine(), forged()]) expect(await post(port, delivery)).toMatchObject({ status: 500 });
    expect(refused.entries).toEqual(['ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE']);
    expect(passed.entries).toHaveLength(2);
    for (const error of passed.entries) {
      expect(error).toMatchObject({
        code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE',
        message: expect.stringMatching(/preParsing hook.*inside the plugin.*Buffer in request\.rawBody/),
      });
    }
  });

  const kept: [string, (bytes: Buffer) => object][] = [
    ['a Buffer in request.rawBody', (rawBody) => ({ rawBody })],
    ['text in request.rawBody', (bytes) => ({ rawBody: bytes.toString() })],
    ['a Buffer in request.body', (body) => ({ body })],
  ];
  it.each(kept)('verifies %s that a hook has kept', async (_what, keep) => {
    const { app, passed } = create({
      before: (app) =>
        app.addHook('preValidation', async (request) => {
          Object.assign(request, keep(Buffer.concat(await request.raw.toArray())));
        }),
    });
    const port = await listen(app);
    expect(await post(port, genuine())).toMatchObject({ status: 200 });
    expect(await post(port, forged())).toMatchObject({ status: 403 });
    expect(passed.entries).toEqual([]);
  });

  it('verifies what a host that runs the app as a function has kept in req.rawBody', async () => {
    const { app } = create();
    await app.ready();
    const listener: RequestListener = async (request, response) => {
      const rawBody = Buffer.concat(await request.toArray());
      app.routing(Object.assign(request, { rawBody, body: JSON.parse(String(rawBody)) }), response);
    };
    const { port } = await serve(listener);
    expect(await post(port, genuine())).toMatchObject({ status: 200 });
    expect(await post(port, forged())).toMatchObject({ status: 403 });
  });

  it.each<[string, (payload: Readable) => unknown]>([
    ['passes the bytes on', (payload) => payload.pipe(new PassThrough())],
    ['gives the bytes once more', async (payload) => Readable.from([Buffer.concat(await payload.toArray())])],
  ])('reads the stream of a hook that %s', async (_how, replace) => {
    const { app } = create({
      options: { maxBodyBytes: 100_000 },
      before: (app) => app.addHook('preParsing', async (_request, _reply, payload: Readable) => replace(payload)),
    });
    const port = await listen(app);
    expect(await post(port, genuine())).toMatchObject({ status: 200 });
    expect(await post(port, genuineOfSize(90_000))).toMatchObject({ status: 200 });
    expect(await post(port, forged())).toMatchObject({ status: 403 });
    expect(await post(port, genuineOfSize(100_000))).toMatchObject({ status: 413 });
  });

  it('answers 415 to a compressed body that a hook has inflated', async () => {
    const { app } = create({
      before: (app) => app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(createGunzip())),
    });
    const delivery = genuine();
    const headers = [...headersOf(delivery), ['Content-Encoding', 'gzip'] as const];
    expect(await post(await listen(app), { ...delivery, body: gzipSync(delivery.body) }, headers)).toMatchObject({
      status: 415,
      body: '',
    });
  });
});
