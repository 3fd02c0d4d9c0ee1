import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Receiver } from '../../src/index.js';
import { startApp } from '../matrix/app.js';
import { framed, genuine, genuineOfSize, headersOf } from '../matrix/deliveries.js';
import type { Deviation } from '../matrix/deviations.js';
import type { Target } from '../matrix/targets.js';
import { chunked, head, piecesOf, Wire } from '../matrix/wire.js';
import { matrix } from '../matrix.js';
import { hasFrameworks, importRecipe, needsFrameworks } from './installed.js';
import { ownLimit, parsedFirst } from './parsed-first.js';

type Listeners = Record<
  'hono' | 'koa' | 'h3' | 'nest' | 'nestMiddleware' | 'googleCloudFunctions',
  (receiver: Receiver) => RequestListener
>;

const stalled: Deviation = {
  why: 'h3 answers 503 and leaves it to the sender, or to the server after its requestTimeout, to hang up',
  async test(target) {
    const app = await startApp(target, { receiveTimeoutMs: 30, maxInFlight: 1 });
    const delivery = genuine();
    const wire = await Wire.open(app.port);
    await wire.send(framed(delivery).subarray(0, -1));
    expect((await wire.answer())?.status).toBe(503);
    expect(app.errors.entries).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
    expect((await app.post(delivery)).status).toBe(200);
    wire.end();
    await wire.closed();
  },
};

const dropped: Deviation = {
  why: 'h3 answers 503 to a delivery that was dropped, and leaves it to the sender to hang up',
  async test(target) {
    const app = await startApp(target, { maxArriving: 1 });
    const wire = await Wire.open(app.port);
    await wire.send(framed(genuine()).subarray(0, -1));
    await app.requests.reaches(1);
    expect((await app.post(genuine())).status).toBe(200);
    expect((await wire.answer())?.status).toBe(503);
    expect(app.errors.entries).toEqual(['ERR_WEBHOOK_OVERLOADED']);
    wire.cut();
    await wire.closed();
  },
};

const unread: Deviation = {
  why: 'h3 answers 413 at once, and the rest is left unread until the server closes the connection (keepAliveTimeout)',
  async test(target) {
    const app = await startApp(target);
    const delivery = genuineOfSize(20 * 1024 * 1024);
    for (const framing of [
      [framed(delivery)],
      [head([...headersOf(delivery), ['Transfer-Encoding', 'chunked']]), chunked(piecesOf(delivery.body, 60_000))],
    ]) {
      const wire = await Wire.open(app.port);
      const sending = wire.send(...framing);
      expect((await wire.answer())?.status).toBe(413);
      wire.cut();
      await Promise.all([sending, wire.closed()]);
    }
    expect(app.errors.entries).toEqual(['ERR_WEBHOOK_BODY_TOO_LARGE', 'ERR_WEBHOOK_BODY_TOO_LARGE']);
    expect((await app.post(genuine())).status).toBe(200);
  },
};

if (hasFrameworks) {
  const listeners = await importRecipe<Listeners>('testing/listeners.ts');
  const recipe = (name: string, of: keyof Listeners, deviations: Target['deviations'] = new Map()): Target => ({
    name,
    role: 'handler',
    listener: ({ receiver }) => listeners[of](receiver),
    deviations,
  });
  matrix(recipe('the recipe for Hono', 'hono'));
  matrix(recipe('the recipe for Koa', 'koa'));
  matrix(
    recipe(
      'the recipe for h3',
      'h3',
      new Map([
        ['answers 503 when the body stalls, and closes the connection', stalled],
        ['drops the delivery that has been arriving longest when there are too many, and answers it 503', dropped],
        ['answers a sender of 20 MB over the limit who sends on regardless', unread],
      ]),
    ),
  );
  matrix(recipe('the recipe for NestJS, before its parsers', 'nestMiddleware'));
  matrix(recipe('the recipe for NestJS with rawBody: true', 'nest', new Map([...parsedFirst, ...ownLimit])));
  matrix(recipe('the recipe for Google Cloud Functions', 'googleCloudFunctions', new Map(parsedFirst)));
} else {
  // One named skip in place of hundreds of cases; .ci/run installs the frameworks, so there they run.
  describe.skip(`the recipes that run inside Node${needsFrameworks}`, () => {
    it('pass the matrix', () => {});
  });
}
