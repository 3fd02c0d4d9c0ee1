import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqsHandler } from '../../examples/queues/sqs-worker.js';
import type * as Testing from '../../examples/serverless/testing/queue-worker.js';
import { memoryStore, NonRetryableError } from '../../src/index.js';
import { handleMessage, retryDelayMs, toMessage } from '../../src/queues/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { context, one } from '../contracts/enqueue-helpers.js';
import { event, secret } from '../helpers.js';
import { hasWorkerd, needsWorkerd } from '../stores/sql/d1/workers.js';

const messageOf = (each = one()) => toMessage({ event: each, idempotencyKey: each.id }, context);

describe('sqsHandler', () => {
  it('reports the messages that failed, and no other, and repeats no effect', async () => {
    const handled: string[] = [];
    const onEvent = ({ id }: { id: string }) => (id === 'bad' ? Promise.reject(new Error('boom')) : handled.push(id));
    const handler = sqsHandler({ onEvent, store: memoryStore() });
    const bodies = { a: messageOf(event('good')), b: messageOf(event('bad')), c: 'not JSON' };
    const Records = Object.entries(bodies).map(([messageId, body]) => ({ messageId, body }));
    const batchItemFailures = [{ itemIdentifier: 'b' }, { itemIdentifier: 'c' }];
    for (const _ of [1, 2]) expect(await handler({ Records })).toEqual({ batchItemFailures });
    expect(handled).toEqual(['good']);
  });
});

describe('retryDelayMs', () => {
  it('doubles the delay until the attempts are used up, and ends at once if no retry can succeed', async () => {
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
});

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
