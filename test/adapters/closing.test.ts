import { describe, expect, it } from 'vitest';
import { lambdaHandler } from '../../src/adapters/lambda.js';
import { createReceiver } from '../../src/index.js';
import { expectNothingUnhandled, serve } from '../matrix/app.js';
import { framed, genuine, headersOf, now, SECRET } from '../matrix/deliveries.js';
import { expressTargets, fastifyTarget, fetchTarget, nodeTarget } from '../matrix/targets.js';
import { Wire } from '../matrix/wire.js';

async function drained() {
  const receiver = createReceiver({ secret: SECRET, now, onEvent: () => {} });
  await receiver.drain();
  return receiver;
}

describe('an answer while draining', () => {
  expectNothingUnhandled();

  it.each([nodeTarget, ...expressTargets.slice(0, 1), fastifyTarget, fetchTarget])(
    'closes the connection: $name',
    async (target) => {
      const receiver = await drained();
      const options = { secret: SECRET, now };
      const { port } = await serve(await target.listener({ receiver, options, verified: () => {} }));
      const wire = await Wire.open(port);
      await wire.send(framed(genuine()));
      const answer = await wire.answer();
      expect(answer?.status).toBe(503);
      expect(answer?.headers.get('connection')).toBe('close');
      await wire.closed();
    },
  );

  it("leaves the connection header out in Lambda, where the connection is the host's", async () => {
    const { body, ...delivery } = genuine();
    const event = { httpMethod: 'POST', headers: Object.fromEntries(headersOf(delivery)), body: String(body) };
    const answer = await lambdaHandler(await drained())(event);
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'Retry-After': expect.any(String) } });
    expect(answer.headers).not.toHaveProperty('Connection');
  });
});
