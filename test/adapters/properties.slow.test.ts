import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceiver, type DeliveryRequest } from '../../src/index.js';
import { expectAnswer, expectNothingUnhandled, startApp } from '../matrix/app.js';
import { STATUSES } from '../matrix/cases/effects.js';
import { headersOf, SECRET, sign } from '../matrix/deliveries.js';
import { nodeTarget } from '../matrix/targets.js';
import { head, Wire } from '../matrix/wire.js';

const seed = 5;

/** Bytes of every kind: noise, JSON of any shape, and arrays of almost events. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .array(fc.oneof(fc.jsonValue(), fc.record({ id: fc.string(), event: fc.string(), data: fc.jsonValue() })))
    .map((items) => Buffer.from(JSON.stringify(items))),
);

/** What a header may hold on the wire. */
const text = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,80}$/);
const timestamp = fc.oneof(fc.stringMatching(/^(0|[1-9][0-9]{0,15})$/), fc.stringMatching(/^[0-9]{1,20}$/), text);
const signature = fc.oneof(fc.stringMatching(/^[0-9a-fA-F]{64}$/), text);
const encoding = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  fc.constantFrom('identity', 'gzip', ''),
  text,
);
const method = fc.oneof(
  { weight: 9, arbitrary: fc.constant('POST') },
  fc.constantFrom('GET', 'PUT', 'PATCH', 'OPTIONS'),
);

/** A request of any kind; one in two is signed, so that what comes after the signature is met as well. */
const anyRequest = fc
  .record({ method, body: bytes, timestamp, signature, encoding, signed: fc.boolean() })
  .map((request) => (request.signed ? { ...request, ...sign(request.body, request) } : request));

type AnyRequest = typeof anyRequest extends fc.Arbitrary<infer T> ? T : never;

function headerPairs({ encoding, ...request }: AnyRequest): [string, string][] {
  const pairs = headersOf(request).map(([name, value]): [string, string] => [name, value]);
  return encoding === undefined ? pairs : [...pairs, ['Content-Encoding', encoding]];
}

function deliveryRequest(request: AnyRequest): DeliveryRequest {
  const headers = new Map(headerPairs(request).map(([name, value]) => [name.toLowerCase(), value]));
  return { method: request.method, header: (name) => headers.get(name), rawBody: () => request.body };
}

describe('any request', () => {
  expectNothingUnhandled();

  it('has one of the statuses of the table from a receiver', async () => {
    const receiver = createReceiver({ secret: SECRET, toleranceSeconds: false, onEvent: () => {} });
    const met = new Set<number>();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const { status } = await receiver.handleRequest(deliveryRequest(request));
        expect(STATUSES).toContain(status);
        met.add(status);
      }),
      { seed, numRuns: 2000 },
    );
    // What is generated reaches further than the first check.
    expect([...met]).toEqual(expect.arrayContaining([200, 400, 403, 405, 415, 422]));
  });

  it('has one of the statuses of the table over HTTP, with an empty body', async () => {
    const app = await startApp(nodeTarget, { maxBodyBytes: 250 });
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const length = ['Content-Length', String(request.body.length)] as const;
        await app.exchange(head([...headerPairs(request), length], request.method), request.body);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('is answered in the same way when it is no HTTP at all', async () => {
    const app = await startApp(nodeTarget);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (noise) => {
        const wire = await Wire.open(app.port);
        await wire.send(noise, Buffer.from('\r\n\r\n'));
        wire.end();
        const answer = await wire.answer();
        if (answer !== undefined) expectAnswer(answer);
        await wire.closed();
      }),
      { seed, numRuns: 100 },
    );
    expect(app.seen.entries).toEqual([]);
  });
});
