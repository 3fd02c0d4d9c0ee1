import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqsHandler } from '../../examples/queues/sqs-worker.js';
import type * as Testing from '../../examples/serverless/testing/queue-worker.js';
import { memoryStore, NonRetryableError } from '../../src/index.js';
import { handleMessage, retryDelayMs, toMessage } from '../../src/queues/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { context, one } from '../contracts/enqueue-helpers.js';
import { event, secret } from '../helpers.js';
import { hasPostgres, startPostgres } from '../servers/postgres.js';
import { hasWorkerd, needsWorkerd } from '../stores/sql/d1/workers.js';
import { isPgBoss12 } from './boss.js';
import { hasExamples, testing } from './engines.js';

const messageOf = (each = one()) => toMessage({ event: each, idempotencyKey: each.id }, context);

it('sqsHandler reports the messages that failed, and no other, and repeats no effect', async () => {
  const handled: string[] = [];
  const onEvent = ({ id }: { id: string }) => (id === 'bad' ? Promise.reject(new Error('boom')) : handled.push(id));
  const handler = sqsHandler({ onEvent, store: memoryStore() });
  const bodies = { a: messageOf(event('good')), b: messageOf(event('bad')), c: 'not JSON' };
  const Records = Object.entries(bodies).map(([messageId, body]) => ({ messageId, body }));
  const batchItemFailures = [{ itemIdentifier: 'b' }, { itemIdentifier: 'c' }];
  for (const _ of [1, 2]) expect(await handler({ Records })).toEqual({ batchItemFailures });
  expect(handled).toEqual(['good']);
});

it('retryDelayMs doubles the delay until the attempts are used up, and ends at once if no retry can succeed', async () => {
  const failing = (thrown: unknown) =>
    handleMessage(messageOf(), { onEvent: () => Promise.reject(thrown) }).catch((error) => error);
  const failed = await failing(new Error('boom'));
  expect([1, 2, 3, 14, 15].map((attempt) => retryDelayMs(failed, attempt))).toEqual([
    ...[1000, 2000, 4000, 8_192_000],
    undefined,
  ]);
  expect(failed.message).toContain('boom');
  expect(retryDelayMs(await failing(new NonRetryableError('closed')), 1)).toBeUndefined();
  const foreign = await handleMessage(Buffer.from('{"nothing":true}'), { onEvent: () => {} }).catch((error) => error);
  expect(retryDelayMs(foreign, 1)).toBeUndefined();
  expect(retryDelayMs(Object.assign(failed, { retryAfterMs: 5000 }), 99)).toBe(5000);
});

it.skipIf(!hasExamples)('examples/queues/qstash.ts handles what QStash has signed, and nothing else', async () => {
  const url = 'https://receiver.example/handle';
  const published: string[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    published.push(`${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"messageId":"1"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    vi.unstubAllEnvs();
  });
  const env = { QSTASH_TOKEN: 'token', QSTASH_CURRENT_SIGNING_KEY: 'current', QSTASH_NEXT_SIGNING_KEY: 'next' };
  const QSTASH_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const each of Object.entries({ ...env, QSTASH_URL, WEBHOOK_SECRET: secret })) vi.stubEnv(...each);
  const handled: string[] = [];
  const onEvent = ({ id }: { id: string }) => {
    if (id === 'bad') throw new Error('boom');
    if (id === 'poison') throw new NonRetryableError('closed');
    handled.push(id);
  };
  const { receive, handle } = (await testing()).openQstash(url, { onEvent, store: memoryStore() });

  const deliver = async () => (await receive(createTestDelivery([event('good')], { secret }).request())).status;
  expect(await deliver()).toBe(200);
  const [sent = ''] = published;
  expect(sent).toMatch(/^POST \/v2\/publish\/https:\/\/receiver\.example\/handle Bearer token \{"event":/);
  status = 500;
  expect(await deliver()).toBe(503);

  // As https://upstash.com/docs/qstash/features/security describes the token.
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const call = async (
    body: string,
    { key = 'current', ...claims }: { key?: string; [claim: string]: unknown } = {},
  ) => {
    const now = Math.floor(Date.now() / 1000);
    const hash = createHash('sha256').update(body).digest('base64url');
    const all = {
      iss: 'Upstash',
      sub: url,
      exp: now + 300,
      nbf: now,
      iat: now,
      jti: randomUUID(),
      body: hash,
      ...claims,
    };
    const token = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(all)}`;
    const signature = `${token}.${createHmac('sha256', key).update(token).digest('base64url')}`;
    const request = new Request(url, { method: 'POST', body, headers: { 'upstash-signature': signature } });
    const answer = await handle(request);
    return [answer.status, answer.headers.get('upstash-nonretryable-error')];
  };
  const message = sent.slice(sent.indexOf('{'));
  const forgeries = [{ key: 'other' }, { sub: 'https://other.example' }, { body: 'x' }, { exp: 1 }, { iss: 'me' }];
  for (const forgery of forgeries) expect(await call(message, forgery)).toEqual([403, null]);
  expect((await handle(new Request(url, { method: 'POST', body: message }))).status).toBe(403);
  expect(handled).toEqual([]);
  for (const key of ['current', 'next', 'current']) expect(await call(message, { key })).toEqual([200, null]);
  expect(handled).toEqual(['good']);
  for (const _ of [1, 2]) expect(await call(messageOf(event('bad')))).toEqual([500, null]);
  for (const dead of [messageOf(event('poison')), '{"nothing":true}']) expect(await call(dead)).toEqual([489, 'true']);
});

it.skipIf(!hasPostgres || isPgBoss12)(
  'examples/queues/pg-boss-cron.ts receives, and handles when it is called',
  async () => {
    const server = await startPostgres();
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await server.stop();
    });
    vi.stubEnv('DATABASE_URL', server.url);
    vi.stubEnv('WEBHOOK_SECRET', secret);
    const { POST, cron } = await import('../../examples/queues/pg-boss-cron.js');
    for (const _ of [1, 2]) {
      expect((await POST(createTestDelivery([event('good'), event('other')], { secret }).request())).status).toBe(200);
    }
    const handled: string[] = [];
    const GET = cron({ onEvent: ({ id }) => handled.push(id), store: memoryStore() });
    const calls = await Promise.all([GET(), GET()]);
    const counts = await Promise.all(calls.map((each) => each.json() as Promise<{ handled: number }>));
    expect(counts.reduce((sum, { handled: count }) => sum + count, 0)).toBe(2);
    expect(handled.sort()).toEqual(['good', 'other']);
  },
);

describe.skipIf(!hasWorkerd)(`examples/queues/cloudflare.ts in workerd${needsWorkerd}`, { timeout: 60_000 }, () => {
  let worker: Awaited<ReturnType<typeof Testing.startQueueWorker>>;
  beforeAll(async () => {
    const path = fileURLToPath(new URL('../../examples/serverless/testing/queue-worker.ts', import.meta.url));
    const { startQueueWorker }: typeof Testing = await import(/* @vite-ignore */ path);
    worker = await startQueueWorker(secret);
  }, 60_000);
  afterAll(() => worker?.stop());
  const deliver = async (...events: unknown[]) =>
    (await createTestDelivery(events, { secret }).send(worker.url)).status;
  const handled = () => worker.query('SELECT id, count(*) AS times FROM handled GROUP BY id ORDER BY id');
  const once = (...ids: string[]) => ids.sort().map((id) => ({ id, times: 1 }));

  it('handles each event once, beside events that fail, foreign messages, and one that is too large', async () => {
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const events = ids.map((id) => event(id));
    for (const _ of [1, 2, 3]) expect(await deliver(...events, event('refused'))).toBe(200);
    for (const text of ['not JSON', '{"nothing":true}', JSON.stringify({ event: one() })]) await worker.add(text);
    const [small, large] = [one(), one()];
    Object.assign(large.data, { text: 'x'.repeat(200_000) });
    expect(await deliver(small, large)).toBe(503);
    await expect.poll(handled, { timeout: 40_000 }).toEqual(once(...ids, small.id));
    const dead = () => worker.query('SELECT text FROM dead');
    await expect.poll(dead).toHaveLength(3);
    expect((await dead()).every(({ text = '' }) => text.includes('not an event job'))).toBe(true);
  });
});
