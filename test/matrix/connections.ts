import { Agent, request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAnswer, startApp } from './app.js';
import { type Delivery, framed, genuine, headersOf } from './deliveries.js';
import type { Target } from './targets.js';
import { Wire } from './wire.js';

/** Sends a delivery with Node's own client. */
function post(port: number, agent: Agent, delivery: Delivery): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { ...Object.fromEntries(headersOf(delivery)), 'Content-Length': delivery.body.length };
    request({ port, host: '127.0.0.1', path: '/webhooks', method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end(delivery.body);
  });
}

/** The statuses of genuine deliveries with refused ones between them, from a client that keeps its connection. */
export async function statusesOnOneConnection(port: number): Promise<unknown[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const [wrongSignature, noSignature, tooShort] = [genuine(), genuine(), genuine()];
  const deliveries = [
    genuine(),
    { ...wrongSignature, signature: '0'.repeat(64) },
    genuine(),
    { ...noSignature, signature: '' },
    genuine(),
    { ...tooShort, body: tooShort.body.subarray(1) },
    genuine(),
  ];
  const statuses: unknown[] = [];
  for (const delivery of deliveries) statuses.push(await post(port, agent, delivery));
  return statuses;
}

/** What a refusal leaves of the connection for those who come after. */
export function connectionCases(target: Target): void {
  describe('connection', () => {
    it('serves genuine deliveries between refused ones to a client that keeps its connection', async () => {
      const app = await startApp(target);
      expect(await statusesOnOneConnection(app.port)).toEqual([200, 403, 200, 403, 200, 403, 200]);
    });

    it('answers deliveries that are sent without waiting, in their order', async () => {
      const app = await startApp(target);
      const forged = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(
        Buffer.concat([framed(genuine()), framed({ ...forged, signature: '0'.repeat(64) }), framed(genuine())]),
      );
      const statuses = [await wire.answer(), await wire.answer(), await wire.answer()].map(
        (answer) => expectAnswer(answer).status,
      );
      expect(statuses).toEqual([200, 403, 200]);
      expect(app.seen.entries).toHaveLength(2);
    });
  });
}
