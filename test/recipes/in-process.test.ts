import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Receiver } from '../../src/index.js';
import { startApp } from '../matrix/app.js';
import { framed, genuine } from '../matrix/deliveries.js';
import type { Deviation } from '../matrix/deviations.js';
import type { Target } from '../matrix/targets.js';
import { Wire } from '../matrix/wire.js';
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

if (hasFrameworks) {
  const listeners = await importRecipe<Listeners>('listeners.ts');
  const recipe = (name: string, of: keyof Listeners, deviations: Target['deviations'] = new Map()): Target => ({
    name,
    role: 'handler',
    limitsInFlight: true,
    listener: ({ receiver }) => listeners[of](receiver),
    deviations,
  });
  matrix(recipe('the recipe for Hono', 'hono'));
  matrix(recipe('the recipe for Koa', 'koa'));
  matrix(
    recipe(
      'the recipe for h3',
      'h3',
      new Map([['answers 503 when the body stalls, and closes the connection', stalled]]),
    ),
  );
  matrix(recipe('the recipe for NestJS, before its parsers', 'nestMiddleware'));
  matrix(recipe('the recipe for NestJS with rawBody: true', 'nest', new Map([...parsedFirst, ...ownLimit])));
  matrix(recipe('the recipe for Google Cloud Functions', 'googleCloudFunctions', new Map(parsedFirst)));
} else {
  describe.skip(`the recipes that run inside Node${needsFrameworks}`, () => {
    it('pass the matrix', () => {});
  });
}
