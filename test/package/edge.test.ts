import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, createConsumer } from './consumer.js';
import type * as Edge from './fixtures/edge.js';
import { createWebContext } from './web-context.js';

const SECRET = 'whsec-édge';
const BODY = '[{"id":"1","event":"block.sealed","data":{"name":"ünïcode"}}]';

let consumer: Consumer;
let bundled: string;
let edge: typeof Edge;
/** The same package as Node loads it, with node:crypto. */
let node: typeof import('event-webhook-receiver/verify');

beforeAll(async () => {
  consumer = await createConsumer();
  const entry = await consumer.write('edge.ts', await readFile(new URL('./fixtures/edge.ts', import.meta.url), 'utf8'));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'edge',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
    tsconfigRaw: '{}',
  });
  bundled = outputFiles[0]?.text ?? '';
  const context = createWebContext();
  runInContext(bundled, context);
  edge = runInContext('edge', context);
  node = createRequire(join(consumer.root, 'package.json'))('event-webhook-receiver/verify');
}, 60_000);

afterAll(() => consumer.remove());

test('is bundled without a module or a global of Node', () => {
  expect(bundled).toContain('hmacHex');
  expect(bundled).not.toMatch(/\bnode:|\brequire\(|\bBuffer\b|\bprocess\./);
});

test('verifies what the Node build signed, and refuses a body changed by one byte', () => {
  const { body, signature, timestamp } = node.signDelivery(BODY, { secret: SECRET, timestamp: 1_700_000_000 });
  const bytes = new TextEncoder().encode(body);
  const changed = Uint8Array.from(bytes, (byte, index) => (index === 20 ? byte ^ 1 : byte));
  for (const genuine of [body, bytes, bytes.slice().buffer, new Uint8Array([0, ...bytes]).subarray(1)]) {
    expect(edge.verifySignature(genuine, signature, timestamp, SECRET)).toBe(true);
    expect(edge.verifySignature(genuine, signature.toUpperCase(), timestamp, ['old', SECRET])).toBe(true);
    expect(edge.verifySignature(genuine, signature, timestamp, 'old')).toBe(false);
    expect(edge.verifySignature(genuine, signature, '1700000001', SECRET)).toBe(false);
  }
  expect(edge.verifySignature(changed, signature, timestamp, SECRET)).toBe(false);
});

test('signs what the Node build signs, for keys and bodies around the block size of the hash', () => {
  for (const length of [1, 55, 56, 63, 64, 65, 128, 1000]) {
    const [body, secret] = ['b'.repeat(length), 'k'.repeat(length)];
    const options = { secret, timestamp: 1_700_000_000 };
    expect(edge.signDelivery(body, options).signature).toBe(node.signDelivery(body, options).signature);
  }
});

test('answers requests through fetchHandler', async () => {
  const POST = edge.createHandler(SECRET);
  const event = { id: 'e1', event: 'transaction.included', data: {} };
  const { body, headers } = node.signDelivery(JSON.stringify([event]), { secret: SECRET });
  const post = (sent: string) =>
    POST(new Request('http://localhost/webhooks', { method: 'POST', headers, body: sent }));
  expect((await post(body)).status).toBe(200);
  expect((await post(body.replace('e1', 'e2'))).status).toBe(403);
  expect((await POST(edge.createRequest('another secret'))).status).toBe(403);
  expect([...edge.saw]).toEqual(['e1']);
});

test('decodes an event', () => {
  expect(edge.transferred()).toEqual(['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 10n ** 18n]);
});
