import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lambdaHandler } from '../../src/adapters/lambda.js';
import { type NodeRequest, nodeHandler } from '../../src/adapters/node.js';
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

  it.each([nodeTarget, ...expressTargets, fastifyTarget, fetchTarget])(
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

  it('leaves the connection header out over HTTP/2, which has none', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    const handler = nodeHandler(await drained());
    const server = createServer(
      (request, response) => void handler(request as never as NodeRequest, response as never),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      process.off('warning', warn);
      client.destroy();
      server.close();
    });
    const delivery = genuine();
    const headers = Object.fromEntries(headersOf(delivery).map(([name, value]) => [name.toLowerCase(), value]));
    const stream = client.request({ ':method': 'POST', ':path': '/webhooks', ...headers });
    stream.end(delivery.body);
    const [answer] = await once(stream, 'response');
    expect(answer[':status']).toBe(503);
    expect(answer).not.toHaveProperty('connection');
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  it("leaves the connection header out in Lambda, where the connection is the host's", async () => {
    const { body, ...delivery } = genuine();
    const event = { httpMethod: 'POST', headers: Object.fromEntries(headersOf(delivery)), body: String(body) };
    const answer = await lambdaHandler(await drained())(event);
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'Retry-After': expect.any(String) } });
    expect(answer.headers).not.toHaveProperty('Connection');
  });
});
