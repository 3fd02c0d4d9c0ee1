import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { multibaasHeaders, signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, test } from 'vitest';
import { recordingLine } from '../../src/deliveries/recorded.js';
import { receiver } from './receiver.js';
import { startHere } from './running.js';
import { inProcess, SECRET, scratch, ways } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };

/** A recorded delivery of a body, as MultiBaas sent it long ago. */
function recorded(body: string, at = 1_600_000_001_000, authentic = true) {
  const { headers } = signDelivery(body || 'x', {
    secret: SECRET,
    timestamp: 1_600_000_000,
    headers: multibaasHeaders,
  });
  const lines = [
    ['Host', 'shop.example'],
    ['Content-Length', String(body.length)],
    ['Connection', 'close'],
    ['User-Agent', 'Go-http-client/1.1'],
    ...Object.entries(headers),
    ['X-Twice', 'one'],
    ['X-Twice', 'two'],
  ] as [string, string][];
  return recordingLine({
    at,
    method: 'POST',
    path: '/hooks',
    headers: lines,
    body: Buffer.from(body),
    authentic,
  });
}

const valuesOf = (raw: string[], name: string) =>
  raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name.toLowerCase());

describe.each(ways)('replay ($way)', ({ tool }) => {
  test('sends a recorded delivery byte for byte, signed afresh under its own header names', async () => {
    const { url, handled, requests } = await receiver({ headers: multibaasHeaders });
    const body = '[ {"id":"caf\u00e9", "event":"event.emitted"}]';
    const file = await (await scratch())('r.ndjson', recorded('["other"]') + recorded(body));
    const { code, stdout } = await tool(['replay', file, url, '--nth', '2'], { env });
    // It is authentic, and then no event: that it was looked at shows that the signature was right.
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^#2 +422 refused/) });
    const [request] = requests;
    expect(request?.body.toString()).toBe(body);
    const raw = request?.headers ?? [];
    expect(valuesOf(raw, 'x-twice')).toEqual(['one', 'two']);
    expect(valuesOf(raw, 'user-agent')).toEqual(['Go-http-client/1.1']);
    expect(valuesOf(raw, 'host')).toEqual([new URL(url).host]);
    expect(valuesOf(raw, multibaasHeaders.timestamp)).not.toEqual(['1600000000']);
    expect(valuesOf(raw, multibaasHeaders.signature)).toHaveLength(1);
    expect(handled).toEqual([]);
  });
});

test('replay sends every delivery in order, signed anew', async () => {
  const { url, handled, requests } = await receiver({ headers: multibaasHeaders });
  const event = (id: string) =>
    JSON.stringify([sampleEventEmitted({ id })]).replace('"data":{', '"data":{"big":12345678901234567890.10,');
  const file = await (await scratch())('r.ndjson', recorded(event('a')) + recorded(event('b')));
  const { code, stdout, stderr } = await inProcess(['replay', file, url], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^#1 +200 accepted.*\n#2 +200 accepted.*\n2 sent to /);
  expect(handled).toEqual(['a', 'b']);
  for (const { body } of requests) expect(body.toString()).toContain('"big":12345678901234567890.10,');
});

describe('what did not verify when it was recorded', () => {
  const forged = recorded('["forged"]', 0, false);

  test('is left out with --authentic', async () => {
    const { url, requests } = await receiver({ headers: multibaasHeaders });
    const file = await (await scratch())('r', forged + recorded('["true"]', 0));
    expect(await inProcess(['replay', file, url, '--authentic'], { env })).toMatchObject({ stderr: '' });
    expect(requests.map(({ body }) => body.toString())).toEqual(['["true"]']);
  });

  test('is signed without it, which is noted', async () => {
    const { url } = await receiver({ headers: multibaasHeaders });
    const file = await (await scratch())('r', forged.repeat(2));
    const { stderr } = await inProcess(['replay', file, url], { env, terminal: true });
    expect(stderr).toContain('2 of them did not verify when recorded, and now carry your signature.');
  });
});

test('the gaps of a recording are kept, divided by the speed, and announced where they are long', async () => {
  const { url, requests } = await receiver({ headers: multibaasHeaders });
  const file = await (await scratch())('r', recorded('[]', 0) + recorded('[]', 4000) + recorded('[]', 3_600_000));
  const start = performance.now();
  const running = startHere(['replay', file, url, '--speed', '20'], env);
  await expect.poll(() => running.stderr).toContain('The next delivery is due in 180 s.');
  expect(requests).toHaveLength(2);
  expect(performance.now() - start).toBeGreaterThan(190);
  await running.end();
});

test('a recording without deliveries, and one with a delivery that cannot be sent', async () => {
  const file = await scratch();
  const run = async (content: string) => inProcess(['replay', await file('r', content)], { env });
  expect(await run('')).toMatchObject({ code: 2, stderr: expect.stringContaining('has no deliveries') });
  expect(await run(recorded(''))).toMatchObject({ code: 2, stderr: expect.stringContaining('without a body') });
  const odd = recorded('[]').replace('"one"', '"o\\u0000ne"');
  expect(await run(odd)).toMatchObject({ code: 2, stderr: expect.stringContaining('X-Twice') });
});
