import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LambdaEvent, type LambdaHandler, lambdaHandler } from '../../src/adapters/lambda.js';
import { createTestDelivery, sampleEventEmitted } from '../../src/testing/index.js';
import { genuine, headersOf, now, SECRET, sign } from '../matrix/deliveries.js';
import { lambdaListener } from '../matrix/lambda.js';
import { matrix } from '../matrix.js';
import { frameworks, importRecipe } from './installed.js';

const HOST = 'an HTTP API or a function URL';

type Handler = (event: LambdaEvent, context: object) => ReturnType<LambdaHandler>;
interface Wrappers {
  wrapped(handler: LambdaHandler): Handler;
  parsedFirst(handler: LambdaHandler): Handler;
}

if (existsSync(new URL('node_modules/@middy/core', frameworks))) {
  const { wrapped, parsedFirst } = await importRecipe<Wrappers>('testing/middy.ts');

  matrix({
    name: 'lambdaHandler in middy',
    role: 'handler',
    buffered: 'AWS takes the whole body in before it calls the function',
    listener({ receiver }) {
      const handler = wrapped(lambdaHandler(receiver));
      return lambdaListener((event) => handler(event, {}), HOST, 'base64');
    },
  });

  describe('the recipe for middy', () => {
    afterEach(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });

    it('handles a delivery once, and refuses a forged one', async () => {
      vi.stubEnv('WEBHOOK_SECRET', SECRET);
      const log = vi.spyOn(console, 'log').mockReturnValue();
      const { handler } = await importRecipe<{ handler: Handler }>('middy/handler.ts');
      const event = sampleEventEmitted();
      const send = async (secret: string) => {
        const { rawBody, headers } = createTestDelivery([event], { secret });
        const requestContext = { http: { method: 'POST' } };
        return (await handler({ requestContext, headers, body: String(rawBody) }, {})).statusCode;
      };
      expect([await send('guessed'), await send(SECRET), await send(SECRET)]).toEqual([403, 200, 200]);
      expect(log.mock.calls).toEqual([[`took effect: ${event.id}`]]);
    });
  });

  describe('lambdaHandler in middy, after httpJsonBodyParser', () => {
    const eventOf = (delivery = genuine()): LambdaEvent => ({
      requestContext: { http: { method: 'POST' } },
      headers: { 'content-type': 'application/json', ...Object.fromEntries(headersOf(delivery)) },
      body: String(delivery.body),
    });

    it('rejects, says to leave the parser out, and handles nothing', async () => {
      const seen: string[] = [];
      const handler = lambdaHandler({ secret: SECRET, now, onEvent: ({ id }) => seen.push(id) });
      await expect(parsedFirst(handler)(eventOf(), {})).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE',
        message: expect.stringContaining('leave out httpJsonBodyParser'),
      });
      expect(seen).toEqual([]);
    });

    it.each(['"text"', '7', 'null'])('answers an authentic %s with a refusal', async (text) => {
      const handler = lambdaHandler({ secret: SECRET, now, onEvent() {} });
      const answer = parsedFirst(handler)(eventOf(sign(text)), {}).then(
        ({ statusCode }) => statusCode,
        ({ code }) => code,
      );
      expect([403, 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE']).toContain(await answer);
    });
  });
} else {
  // One named skip; .ci/run installs the frameworks, so there they run.
  describe.skip('lambdaHandler in middy (skipped: npm install --prefix examples/frameworks)', () => {
    it('passes the matrix', () => {});
  });
}
