import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, it, vi } from 'vitest';
import type { SignedRequest } from '../../src/index.js';
import { createReceiver, RawBodyUnavailableError } from '../../src/index.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing.js';
import { deferred, event, noting, secret, signed } from '../helpers.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { idOf, inSpan, instrumented, parentOf, useContexts } from './sdk.js';

useContexts();

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** A request with these headers beside those of the signature. */
function requestOf({ rawBody, signature, timestamp }: SignedRequest, headers: Record<string, string> = {}) {
  const all: Record<string, string | undefined> = {
    ...headers,
    'x-webhook-signature': signature,
    'x-webhook-timestamp': timestamp,
  };
  return { method: 'POST', header: (name: string) => all[name], rawBody: () => rawBody };
}

const headers = { signature: 'X-Webhook-Signature', timestamp: 'X-Webhook-Timestamp' };

describe('the span of a delivery', () => {
  expectNothingUnhandled();

  it('is a consumer span in the words of the messaging conventions', async () => {
    const { spans } = instrumented();
    const delivery = signed([event('a'), event('b')]);
    await noting().receiver.handle(delivery);
    const [span] = spans('process');
    expect(span).toMatchObject({ name: 'process event-webhooks', kind: SpanKind.CONSUMER });
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span?.attributes).toEqual({
      'messaging.system': 'webhook',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'event-webhooks',
      'messaging.batch.message_count': 2,
      'messaging.message.body.size': delivery.rawBody.length,
      'http.response.status_code': 200,
    });
    expect(span?.instrumentationScope.name).toBe('event-webhook-receiver');
  });

  it('is named after the destination that is given', async () => {
    const { spans } = instrumented({ destination: 'payments' });
    await noting().receiver.handle(signed([]));
    expect(spans()).toMatchObject([
      {
        name: 'process payments',
        attributes: { 'messaging.destination.name': 'payments', 'messaging.batch.message_count': 0 },
      },
    ]);
  });

  it('continues the trace that the headers name, and the handler sees their baggage', async () => {
    const { spans } = instrumented();
    const seen: unknown[] = [];
    const onEvent = () => void seen.push(propagation.getActiveBaggage()?.getEntry('tenant')?.value);
    const receiver = createReceiver({ secret, headers, onEvent });
    const sent = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1', baggage: 'tenant=acme' };
    await receiver.receive(requestOf(signed([event('a')]), sent));
    const [span] = spans('process');
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext).toMatchObject({ spanId: PARENT, isRemote: true });
    expect(span?.spanContext().traceState?.get('vendor')).toBe('1');
    expect(seen).toEqual(['acme']);
  });

  it.each(['', 'no', `00-${'0'.repeat(32)}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`])(
    'begins a trace when traceparent is "%s"',
    async (traceparent) => {
      const { spans } = instrumented();
      const receiver = createReceiver({ secret, headers, onEvent: () => {} });
      expect(await receiver.receive(requestOf(signed([event('a')]), { traceparent }))).toMatchObject({ status: 200 });
      const [span] = spans('process');
      expect(parentOf(span)).toBeUndefined();
      expect(span?.spanContext().traceId).not.toBe(TRACE);
    },
  );

  it('is a child of the active span, and links to the one of another trace that the headers name', async () => {
    const { spans, tracer } = instrumented();
    const receiver = createReceiver({ secret, headers, onEvent: () => {} });
    const sent = { traceparent: `00-${TRACE}-${PARENT}-01` };
    const server = await inSpan(tracer, 'server', async (span) => {
      await receiver.receive(requestOf(signed([event('a')]), sent));
      return span;
    });
    const [span] = spans('process');
    expect(parentOf(span)).toBe(idOf(server));
    expect(span?.links).toMatchObject([{ context: { traceId: TRACE, spanId: PARENT } }]);
  });

  it('has no link when the active span has continued the trace already', async () => {
    const { spans, tracer } = instrumented();
    const receiver = createReceiver({ secret, headers, onEvent: () => {} });
    await inSpan(tracer, 'server', async (span) => {
      const { traceId } = span.spanContext();
      await receiver.receive(requestOf(signed([]), { traceparent: `00-${traceId}-${PARENT}-01` }));
    });
    expect(spans('process')[0]?.links).toEqual([]);
  });

  it('of a forgery is an error with the code, and says nothing of what was sent', async () => {
    const { spans } = instrumented();
    const { receiver } = noting({ secret: 'whsec-never-told' });
    const forged = signed([event('a')]);
    await receiver.handle(forged);
    const [span] = spans();
    expect(spans()).toHaveLength(1);
    expect(span?.attributes).toMatchObject({ 'error.type': 'ERR_WEBHOOK_SIGNATURE', 'http.response.status_code': 403 });
    expect(span?.attributes).not.toHaveProperty('messaging.batch.message_count');
    expect(span?.status).toMatchObject({ code: SpanStatusCode.ERROR, message: expect.stringMatching(/does not fit/) });
    expect(span?.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'ERR_WEBHOOK_SIGNATURE' } },
    ]);
    const told = JSON.stringify([span?.attributes, span?.status, span?.events, span?.name]);
    for (const part of ['whsec', forged.signature, 'Transfer']) expect(told).not.toContain(part);
  });

  it('of a delivery that is refused before its body has no size', async () => {
    const { spans } = instrumented();
    await noting().receiver.handle({ ...signed([event('a')]), signature: 'none' });
    expect(spans()).toMatchObject([{ attributes: { 'error.type': 'ERR_WEBHOOK_HEADER' } }]);
    expect(spans()[0]?.attributes).not.toHaveProperty('messaging.message.body.size');
  });

  it('of a body that is gone is an error without a status', async () => {
    const { spans } = instrumented();
    const rawBody = () => {
      throw new RawBodyUnavailableError('Do this.');
    };
    const receiving = noting().receiver.receive({ ...requestOf(signed([])), rawBody });
    await expect(receiving).rejects.toThrow(RawBodyUnavailableError);
    expect(spans()).toMatchObject([
      { attributes: { 'error.type': 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE' }, status: { code: SpanStatusCode.ERROR } },
    ]);
    expect(spans()[0]?.attributes).not.toHaveProperty('http.response.status_code');
  });

  it('of a receiver that is drained is 503, and one under way ends before drain does', async () => {
    const { spans } = instrumented();
    const gate = deferred();
    const { receiver } = noting({ onEvent: () => gate.promise });
    const running = receiver.handle(signed([event('a')]));
    const drained = receiver.drain().then(() => spans('process').length);
    await receiver.handle(signed([event('b')]));
    expect(spans()).toMatchObject([{ attributes: { 'error.type': 'ERR_WEBHOOK_DRAINING' } }]);
    gate.resolve();
    await Promise.all([running, drained]);
    expect(spans('process')).toMatchObject([{}, { attributes: { 'http.response.status_code': 200 } }]);
  });
});

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

  it('leaves out what an open payload holds in place of a hash', async () => {
    const { spans, tracerProvider } = instrumented();
    const started = vi.spyOn(tracerProvider.getTracer('event-webhook-receiver'), 'startSpan');
    const odd = { ...sampleTransactionIncluded(), data: { tx: { hash: { of: ['anything'] } } } };
    const none = { ...sampleTransactionIncluded(), data: { tx: null } };
    await noting().receiver.handle(signed([odd, none]));
    for (const { attributes } of spans('handle')) expect(attributes).not.toHaveProperty('webhook.transaction.hash');
    for (const [, options] of started.mock.calls)
      expect(options?.attributes).not.toHaveProperty('webhook.transaction.hash');
    expect(started).toHaveBeenCalledTimes(3);
    expect(spans('handle')).toHaveLength(2);
  });

  it('is the parent of what the handler does, also after it has waited, and of several at once', async () => {
    const { spans, tracer } = instrumented();
    const gates = [deferred(), deferred(), deferred(), deferred()];
    const onEvent = async ({ id }: { id: string }) => {
      const index = Number(id);
      tracer.startSpan(`first ${id}`).end();
      await gates[index]?.promise;
      gates[index - 1]?.resolve();
      tracer.startSpan(`second ${id}`).end();
    };
    const { receiver } = noting({ onEvent, concurrency: 2 });
    const running = [signed([event('0'), event('1')]), signed([event('2'), event('3')])].map(receiver.handle);
    gates[3]?.resolve();
    await Promise.all(running);
    for (const id of ['0', '1', '2', '3']) {
      const span = spans('handle').find(({ attributes }) => attributes['messaging.message.id'] === id);
      expect(span).toBeDefined();
      expect(spans(`first ${id}`).map(parentOf)).toEqual([idOf(span)]);
      expect(spans(`second ${id}`).map(parentOf)).toEqual([idOf(span)]);
    }
    const traces = spans('process').map((span) => span.spanContext().traceId);
    expect(new Set(traces).size).toBe(2);
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set(traces));
  });

  it('leaves the context of who called as it was', async () => {
    const { tracer } = instrumented();
    await inSpan(tracer, 'outer', async (span) => {
      await noting().receiver.handle(signed([event('a')]));
      expect(trace.getSpan(context.active())).toBe(span);
    });
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it('that failed has our code and message, and nothing of what the handler threw', async () => {
    const { spans } = instrumented();
    const { receiver } = noting({ onEvent: () => Promise.reject(new Error('the password is 123')) });
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
      '123',
    );
  });

  it.each<[string, Parameters<typeof noting>[0], unknown, Record<string, string>]>([
    [
      'whose handler took too long',
      { handlerTimeoutMs: 1, onEvent: () => new Promise(() => {}) },
      event('a'),
      { 'webhook.event.outcome': 'failed', 'error.type': 'ERR_WEBHOOK_HANDLER_TIMEOUT' },
    ],
    [
      'whose store is down',
      { store: { once: () => Promise.reject(new Error('down')) } },
      event('a'),
      { 'webhook.event.outcome': 'failed', 'error.type': 'ERR_WEBHOOK_STORE' },
    ],
    [
      'that somebody else is at',
      { store: { once: async () => 'in-progress' } },
      event('a'),
      { 'webhook.event.outcome': 'in-progress', 'error.type': 'ERR_WEBHOOK_IN_PROGRESS' },
    ],
    [
      'whose hand-off failed',
      { handOff: () => Promise.reject(new Error('down')) },
      event('a'),
      { 'webhook.event.outcome': 'failed', 'error.type': 'ERR_WEBHOOK_HAND_OFF' },
    ],
    ['that is stored', { handOff: () => {} }, event('a'), { 'webhook.event.outcome': 'stored' }],
    [
      'that is no event',
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

  it('of a duplicate is no error', async () => {
    const { spans } = instrumented();
    const { receiver } = noting();
    for (let i = 0; i < 2; i++) await receiver.handle(signed([event('a')]));
    expect(spans('handle').map(({ attributes }) => attributes['webhook.event.outcome'])).toEqual([
      'handled',
      'duplicate',
    ]);
    expect(spans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true);
  });

  it('is not the parent of what a hand-off does: that is the delivery’s', async () => {
    const { spans, tracer } = instrumented();
    const handOff = async () => {
      await null;
      tracer.startSpan('insert').end();
    };
    await noting({ handOff }).receiver.handle(signed([event('a'), event('b')]));
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

  it('is not made at all with maxEventSpans 0', async () => {
    const { spans } = instrumented({ maxEventSpans: 0 });
    await noting().receiver.handle(signed([event('a')]));
    expect(spans().map(({ name }) => name)).toEqual(['process event-webhooks']);
  });

  it('of a delivery inside a handler belongs to that delivery, and that to the handler’s event', async () => {
    const { spans } = instrumented();
    const inner = noting().receiver;
    const outer = noting({ onEvent: () => inner.handle(signed([event('inner')])).then(() => {}) }).receiver;
    await outer.handle(signed([event('outer')]));
    const [innerEvent, outerEvent] = spans('handle');
    const [innerDelivery, outerDelivery] = spans('process');
    expect(parentOf(innerEvent)).toBe(idOf(innerDelivery));
    expect(parentOf(innerDelivery)).toBe(idOf(outerEvent));
    expect(parentOf(outerEvent)).toBe(idOf(outerDelivery));
  });
});
