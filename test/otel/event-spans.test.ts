import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it, vi } from 'vitest';
import { finalityOf } from '../../src/chain/finality/stage.js';
import { VERSION } from '../../src/otel/version.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';
import { event, noting, signed } from '../helpers.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { storeDoing } from '../receiver/fake-bulk-store.js';
import { DROPPED, scripted } from '../receiver/scripted-finality.js';
import { idOf, instrumented, parentOf, useContexts } from './sdk.js';

useContexts();

describe('the span of an event', () => {
  expectNothingUnhandled();

  it('is a child of its delivery’s, and says which event it is and what became of it', async () => {
    const { spans } = instrumented();
    const emitted = sampleEventEmitted();
    const included = sampleTransactionIncluded();
    await noting().receiver.handle(signed([emitted, included, { id: 'new', event: 'new.kind' }]));
    const [delivery] = spans('process');
    expect(spans('handle').map(parentOf)).toEqual([idOf(delivery), idOf(delivery), idOf(delivery)]);
    expect(spans('handle').map(({ name, kind }) => [name, kind])).toEqual([
      ['handle event.emitted', SpanKind.INTERNAL],
      ['handle transaction.included', SpanKind.INTERNAL],
      ['handle other', SpanKind.INTERNAL],
    ]);
    const { contract, name } = emitted.data.event;
    expect(spans('handle').map(({ attributes }) => attributes)).toEqual([
      {
        'messaging.message.id': emitted.id,
        'webhook.event.kind': 'event.emitted',
        'webhook.event.name': name,
        'webhook.contract.address': contract.address,
        'webhook.contract.address_label': contract.addressLabel,
        'webhook.contract.label': contract.label,
        'webhook.transaction.hash': emitted.data.transaction?.txHash,
        'webhook.event.outcome': 'handled',
      },
      {
        'messaging.message.id': included.id,
        'webhook.event.kind': 'transaction.included',
        'webhook.transaction.hash': included.data.tx?.hash,
        'webhook.event.outcome': 'handled',
      },
      { 'messaging.message.id': 'new', 'webhook.event.kind': 'new.kind', 'webhook.event.outcome': 'unknown' },
    ]);
  });

  it('leaves out a hash that is not text, or not there', async () => {
    const { spans, tracerProvider } = instrumented();
    const started = vi.spyOn(tracerProvider.getTracer('event-webhook-receiver', VERSION), 'startSpan');
    const odd = { ...sampleTransactionIncluded(), data: { tx: { hash: { of: ['anything'] } } } };
    const none = { ...sampleTransactionIncluded(), data: { tx: null } };
    const without = sampleEventEmitted({ data: { transaction: null as never } });
    await noting().receiver.handle(signed([odd, none, without]));
    for (const { attributes } of spans('handle')) expect(attributes).not.toHaveProperty('webhook.transaction.hash');
    for (const [, options] of started.mock.calls)
      expect(options?.attributes).not.toHaveProperty('webhook.transaction.hash');
    expect(started).toHaveBeenCalledTimes(4);
    expect(spans('handle')).toHaveLength(3);
  });

  it('that failed has our code and message, and nothing of what the handler threw', async () => {
    const { spans } = instrumented();
    const { receiver } = noting({ onEvent: () => Promise.reject(new Error('the password is xyzzy')) });
    await receiver.handle(signed([event('a')]));
    const [span] = spans('handle');
    expect(span?.attributes).toMatchObject({ 'webhook.event.outcome': 'failed', 'error.type': 'ERR_WEBHOOK_HANDLER' });
    expect(span?.status).toMatchObject({
      code: SpanStatusCode.ERROR,
      message: expect.stringMatching(/handler failed/),
    });
    expect(span?.events).toMatchObject([{ attributes: { 'exception.type': 'ERR_WEBHOOK_HANDLER' } }]);
    const [delivery] = spans('process');
    expect(delivery).toMatchObject({
      attributes: { 'error.type': 'ERR_WEBHOOK_HANDLER', 'http.response.status_code': 500 },
    });
    expect(delivery?.events).toEqual([]);
    expect(JSON.stringify(spans().map(({ events, attributes, status }) => [events, attributes, status]))).not.toContain(
      'xyzzy',
    );
  });

  it.each<[string, Parameters<typeof noting>[0], unknown, Record<string, string>]>([
    [
      'whose handler took too long',
      { handlerTimeoutMs: 300, onEvent: () => new Promise(() => {}) },
      event('a'),
      { 'webhook.event.outcome': 'failed', 'error.type': 'ERR_WEBHOOK_HANDLER_TIMEOUT' },
    ],
    [
      'that is in progress elsewhere',
      { store: storeDoing(() => 'in-progress') },
      event('a'),
      { 'webhook.event.outcome': 'in-progress', 'error.type': 'ERR_WEBHOOK_IN_PROGRESS' },
    ],
    [
      'whose block was replaced',
      { finality: finalityOf(scripted({ a: DROPPED }).finality), idempotencyKey: ({ id }) => id },
      event('a'),
      { 'webhook.event.outcome': 'dropped' },
    ],
    ['that is stored', { enqueue: () => {} }, event('a'), { 'webhook.event.outcome': 'stored' }],
    [
      'that is not an event',
      {},
      { id: 'a', event: 'event.emitted' },
      { 'webhook.event.kind': 'other', 'webhook.event.outcome': 'invalid', 'error.type': 'ERR_WEBHOOK_INVALID_EVENT' },
    ],
  ])('%s says so', async (_title, options, item, attributes) => {
    const { spans } = instrumented();
    await noting(options).receiver.handle(signed([item]));
    expect(spans('handle')).toHaveLength(1);
    expect(spans('handle')[0]?.attributes).toMatchObject(attributes);
    expect('error.type' in (spans('handle')[0]?.attributes ?? {})).toBe('error.type' in attributes);
  });

  it('is not the parent of what a enqueue does: that is the delivery’s', async () => {
    const { spans, tracer } = instrumented();
    const enqueue = async () => {
      await null;
      tracer.startSpan('insert').end();
    };
    await noting({ enqueue }).receiver.handle(signed([event('a'), event('b')]));
    expect(spans('insert').map(parentOf)).toEqual([idOf(spans('process')[0])]);
    expect(spans('handle')).toHaveLength(2);
  });

  it('is made for so many events of each delivery as maxEventSpans allows; the others run in the delivery’s', async () => {
    const { spans, tracer } = instrumented({ maxEventSpans: 2 });
    const { receiver } = noting({ onEvent: ({ id }) => tracer.startSpan(`work ${id}`).end() });
    const deliveries = ['a', 'b'].map((each) => signed([1, 2, 3, 4].map((n) => event(`${each}${n}`))));
    for (const delivery of deliveries) await receiver.handle(delivery);
    expect(spans('handle').map(({ attributes }) => attributes['messaging.message.id'])).toEqual([
      'a1',
      'a2',
      'b1',
      'b2',
    ]);
    const parents = ['a1', 'a3', 'a4'].map((id) => parentOf(spans(`work ${id}`)[0]));
    const [delivery] = spans('process');
    expect(parents).toEqual([idOf(spans('handle')[0]), idOf(delivery), idOf(delivery)]);
    expect(delivery?.attributes).toMatchObject({ 'messaging.batch.message_count': 4 });
  });
});
