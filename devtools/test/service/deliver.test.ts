import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { multibaasHeaders } from 'event-webhook-receiver/verify';
import { expect, it } from 'vitest';
import { listening } from './receivers.js';
import { serving } from './service.js';

it('a local service sends the bytes and headers of the live service, and keeps the response', async () => {
  const { service, changes } = await serving({ headers: multibaasHeaders, now: () => 1_700_000_000_999 });
  const requests: { headers: string[]; body: string }[] = [];
  const { url } = await listening(async (request, response) => {
    requests.push({ headers: request.rawHeaders, body: Buffer.concat(await request.toArray()).toString() });
    response.setHeader('X-Mine', 'yes').end('taken');
  });
  const { secret } = service.register({ label: 'mine', url });
  const { data, id, ...rest } = sampleEventEmitted({ data: { event: { name: 'A<&>\u2028B' } } });
  service.emit([{ data, ...rest, id }]);
  await service.idle();
  const expected = createTestDelivery([{ id, ...rest, data }], {
    ...{ secret, timestamp: 1_700_000_000, headers: multibaasHeaders },
  });
  const [{ body, headers }] = requests as [(typeof requests)[0]];
  expect(body).toBe(expected.rawBody);
  expect(body).toContain('A\\u003c\\u0026\\u003e\\u2028B');
  const lines = [
    ['Host', new URL(url).host],
    ['User-Agent', 'Go-http-client/1.1'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Content-Type', 'application/json'],
    ['X-MultiBaas-Signature', expected.signature],
    ['X-MultiBaas-Timestamp', '1700000000'],
  ];
  expect(headers).toEqual(lines.flat());
  const response = { bytes: 5, bodyBase64: btoa('taken'), headers: expect.arrayContaining([['X-Mine', 'yes']]) };
  expect(changes.at(-1)?.attempts).toEqual([
    { at: 1_700_000_000_999, headers: lines, status: 200, durationMs: expect.any(Number), response },
  ]);
});
