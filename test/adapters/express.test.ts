import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import type { VerifierOptions } from '../../src/index.js';
import { expectAnswer, expectNothingUnhandled, Log, serve } from '../matrix/app.js';
import { type Delivery, framed, genuine, headersOf, now, SECRET, sign } from '../matrix/deliveries.js';
import { EXPRESS_VERSIONS, expressTargets } from '../matrix/targets.js';
import { answerTo, chunked, type HeaderList, head } from '../matrix/wire.js';
import { matrix } from '../matrix.js';

for (const target of expressTargets.slice(0, 1)) matrix(target, { large: false });

/** The two ways to mount, which take a body in the same way. Both answer 200 to what is genuine. */
const MOUNTS: readonly (readonly [name: string, mount: (app: Express, options: VerifierOptions) => void])[] = [
  ['expressHandler', (app, options) => app.post('/webhooks', expressHandler({ ...options, onEvent: () => {} }))],
  [
    'expressVerifier',
    (app, options) =>
      app.post('/webhooks', expressVerifier(options), (request, response) => {
        response.status(request.webhook?.items.length ? 200 : 500).end();
      }),
  ],
];

const RUNS = EXPRESS_VERSIONS.flatMap(([version, express]) =>
  MOUNTS.map(([name, mount]) => [`${name} on ${version}`, express, mount] as const),
);

const send = async (port: number, ...pieces: Uint8Array[]) => expectAnswer(await answerTo(port, ...pieces));

expectNothingUnhandled();

describe.each(RUNS)('%s', (_name, express, mount) => {
  /** Errors that Express was given. */
  type Passed = Log<unknown>;

  async function start(before: RequestHandler[], options: Partial<VerifierOptions> = {}) {
    const passed: Passed = new Log();
    const refused = new Log<string>();
    const app = express();
    for (const middleware of before) app.use(middleware);
    mount(app, { secret: SECRET, now, onError: ({ code }) => refused.add(code), ...options });
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      passed.add(error);
      response.status(500).end();
    };
    app.use(onError);
    const { port } = await serve(app satisfies RequestListener);
    const post = (delivery: Delivery, headers?: HeaderList) => send(port, framed(delivery, headers));
    return { port, post, passed, refused };
  }

  it.each<[string, RequestHandler]>([
    ['express.json()', express.json()],
    ['express.text()', express.text({ type: '*/*' })],
    ['express.urlencoded()', express.urlencoded({ type: '*/*', extended: false })],
  ])('passes an error with the fix to Express when %s has used up the body', async (_parser, parser) => {
    const { post, passed, refused } = await start([parser]);
    const forged = { ...genuine(), signature: '0'.repeat(64) };
    for (const delivery of [genuine(), forged]) expect((await post(delivery)).status).toBe(500);
    expect(passed.entries).toHaveLength(2);
    for (const error of passed.entries) {
      expect(error).toMatchObject({
        code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE',
        message: expect.stringMatching(
          /before express\.json\(\).*express\.json\(\{ limit: '10mb', verify: .*req\.rawBody = buffer/,
        ),
      });
    }
    expect(refused.entries).toEqual(passed.entries.map(() => 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'));
  });

  it('refuses an empty body that express.json() has read: no bytes are gone', async () => {
    const { post, passed } = await start([express.json()]);
    expect((await post(sign(''))).status).toBe(403);
    expect(passed.entries).toEqual([]);
  });

  it('reads the body itself when express.json() has left it alone', async () => {
    const { post } = await start([express.json()]);
    const delivery = genuine();
    const [, ...signed] = headersOf(delivery);
    expect((await post(delivery, [['Content-Type', 'application/octet-stream'], ...signed])).status).toBe(200);
    expect((await post(delivery, signed)).status).toBe(200);
  });

  it.each<[string, RequestHandler]>([
    ['the Buffer of express.raw()', express.raw({ type: '*/*', limit: '1mb' })],
    [
      'req.rawBody that express.json() has kept',
      express.json({
        strict: false,
        verify: (request, _response, buffer) => Object.assign(request, { rawBody: buffer }),
      }),
    ],
    [
      'req.rawBody as text',
      express.json({
        verify: (request, _response, buffer) => Object.assign(request, { rawBody: buffer.toString() }),
      }),
    ],
  ])('verifies %s', async (_what, parser) => {
    const delivery = genuine();
    const { length } = delivery.body;
    const { port, post, passed, refused } = await start([parser], { maxBodyBytes: length });
    expect((await post(delivery)).status).toBe(200);
    expect(
      (await post({ ...delivery, body: Buffer.from(delivery.body.toString().replace('Transfer', 'transfer')) })).status,
    ).toBe(403);
    const longer = sign(`${delivery.body} `);
    const inChunks = [head([...headersOf(longer), ['Transfer-Encoding', 'chunked']]), chunked([longer.body])];
    expect((await send(port, ...inChunks)).status).toBe(413);
    expect(refused.entries).toEqual(['ERR_WEBHOOK_SIGNATURE', 'ERR_WEBHOOK_BODY_TOO_LARGE']);
    expect(passed.entries).toEqual([]);
  });

  it('answers 415 to a compressed body that express.raw() has inflated', async () => {
    const { post } = await start([express.raw({ type: '*/*' })]);
    const delivery = genuine();
    const headers = [...headersOf(delivery), ['Content-Encoding', 'gzip'] as const];
    expect((await post({ ...delivery, body: gzipSync(delivery.body) }, headers)).status).toBe(415);
  });
});

describe.each(EXPRESS_VERSIONS)('%s', (_version, express) => {
  it('sets req.webhook to the bytes, the timestamp and the items', async () => {
    const app = express();
    const webhooks = new Log<unknown>();
    app.post('/webhooks', expressVerifier({ secret: SECRET, now }), (request, response) => {
      webhooks.add(request.webhook);
      response.status(204).end();
    });
    const { port } = await serve(app);
    const delivery = genuine(null, { id: 'new', event: 'block.mined' });
    expect(await answerTo(port, framed(delivery))).toMatchObject({ status: 204 });
    expect(webhooks.entries).toEqual([
      {
        rawBody: expect.toSatisfy((bytes) => delivery.body.equals(bytes)),
        timestamp: delivery.timestamp,
        items: [expect.objectContaining({ status: 'invalid' }), expect.objectContaining({ status: 'unknown' })],
      },
    ]);
  });
});
