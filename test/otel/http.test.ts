import type { RequestListener } from 'node:http';
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { nodeHandler } from '../../src/adapters/node.js';
import { createReceiver } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { event, secret } from '../helpers.js';
import { expectNothingUnhandled, serve } from '../matrix/app.js';
import { expressTargets } from '../matrix/targets.js';
import { idOf, inSpan, instrumented, parentOf, useContexts } from './sdk.js';

useContexts();

/** Sends a delivery under the active span, as an instrumented sender does; gives the status. */
async function send(port: number, ids: readonly string[]): Promise<number> {
  const { body, headers } = createTestDelivery(
    ids.map((id) => event(id)),
    { secret },
  );
  const carrier: Record<string, string> = { ...headers };
  propagation.inject(context.active(), carrier);
  expect(carrier).toHaveProperty('traceparent');
  const { status } = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers: carrier, body });
  return status;
}

describe('over HTTP', () => {
  expectNothingUnhandled();

  it('a receiver on node:http continues the traces of its senders, each its own', async () => {
    const { spans, tracer } = instrumented();
    const onEvent = async ({ id }: { id: string }) => {
      await new Promise(setImmediate);
      tracer.startSpan(`work ${id}`).end();
    };
    const { port } = await serve(nodeHandler({ secret, toleranceSeconds: false, onEvent, concurrency: 2 }));
    const senders = ['a', 'b', 'c'].map((id) =>
      inSpan(tracer, `send ${id}`, async (span) => {
        expect(await send(port, [`${id}1`, `${id}2`])).toBe(200);
        return span;
      }),
    );
    for (const [index, sender] of (await Promise.all(senders)).entries()) {
      const id = 'abc'.charAt(index);
      const [delivery, ...others] = spans('process').filter((span) => parentOf(span) === idOf(sender));
      expect(others).toEqual([]);
      expect(delivery?.kind).toBe(SpanKind.CONSUMER);
      for (const each of [`${id}1`, `${id}2`]) {
        const handled = spans('handle').find(({ attributes }) => attributes['messaging.message.id'] === each);
        expect(parentOf(handled)).toBe(idOf(delivery));
        expect(parentOf(spans(`work ${each}`)[0])).toBe(idOf(handled));
        expect(handled?.spanContext().traceId).toBe(sender.spanContext().traceId);
      }
    }
  });
});
