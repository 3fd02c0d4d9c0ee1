import { propagation, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createReceiver, RawBodyUnavailableError } from '../../src/index.js';
import type { SignedRequest } from '../../src/receive/request.js';
import { event, noting, secret, signed } from '../helpers.js';
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

  it('continues the trace that the headers name, and the handler sees their baggage', async () => {
    const { spans } = instrumented();
    const seen: unknown[] = [];
    const onEvent = () => void seen.push(propagation.getActiveBaggage()?.getEntry('tenant')?.value);
    const receiver = createReceiver({ secret, toleranceSeconds: false, headers, onEvent });
    const sent = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1', baggage: 'tenant=acme' };
    await receiver.handleRequest(requestOf(signed([event('a')]), sent));
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
      const receiver = createReceiver({ secret, toleranceSeconds: false, headers, onEvent: () => {} });
      expect(await receiver.handleRequest(requestOf(signed([event('a')]), { traceparent }))).toMatchObject({
        status: 200,
      });
      const [span] = spans('process');
      expect(parentOf(span)).toBeUndefined();
      expect(span?.spanContext().traceId).not.toBe(TRACE);
    },
  );

  it('is a child of the active span, and links to the one of another trace that the headers name', async () => {
    const { spans, tracer } = instrumented();
    const receiver = createReceiver({ secret, toleranceSeconds: false, headers, onEvent: () => {} });
    const sent = { traceparent: `00-${TRACE}-${PARENT}-01` };
    const server = await inSpan(tracer, 'server', async (span) => {
      await receiver.handleRequest(requestOf(signed([event('a')]), sent));
      return span;
    });
    const [span] = spans('process');
    expect(parentOf(span)).toBe(idOf(server));
    expect(span?.links).toMatchObject([{ context: { traceId: TRACE, spanId: PARENT } }]);
  });

  it('of a forgery is an error with the code, and contains nothing of the request', async () => {
    const { spans } = instrumented();
    const { receiver } = noting({ secret: 'whsec-never-told' });
    const forged = signed([event('a')]);
    await receiver.handle(forged);
    const [span] = spans();
    expect(spans()).toHaveLength(1);
    expect(span?.attributes).toMatchObject({ 'error.type': 'ERR_WEBHOOK_SIGNATURE', 'http.response.status_code': 403 });
    expect(span?.attributes).not.toHaveProperty('messaging.batch.message_count');
    expect(span?.status).toMatchObject({
      code: SpanStatusCode.ERROR,
      message: expect.stringMatching(/Signature mismatch/),
    });
    expect(span?.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'ERR_WEBHOOK_SIGNATURE' } },
    ]);
    const told = JSON.stringify([span?.attributes, span?.status, span?.events, span?.name]);
    for (const part of ['whsec', forged.signature, 'Transfer']) expect(told).not.toContain(part);
  });

  it('of a body that is gone is an error', async () => {
    const { spans } = instrumented();
    const rawBody = () => {
      throw new RawBodyUnavailableError('Do this.');
    };
    await noting().receiver.handleRequest({ ...requestOf(signed([])), rawBody });
    expect(spans()).toMatchObject([
      {
        attributes: { 'error.type': 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', 'http.response.status_code': 500 },
        status: { code: SpanStatusCode.ERROR },
      },
    ]);
  });

  it('has the active span as its parent when the propagator throws', async () => {
    const { spans, tracer } = instrumented();
    const extract = vi.spyOn(propagation, 'extract').mockImplementation(() => {
      throw new Error('broken propagator');
    });
    onTestFinished(() => extract.mockRestore());
    const { receiver, handled } = noting();
    const server = await inSpan(tracer, 'server', async (span) => {
      expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 200 });
      return span;
    });
    await receiver.handle(signed([event('b')]));
    expect(spans('process').map(parentOf)).toEqual([idOf(server), undefined]);
    expect(handled).toEqual(['a', 'b']);
  });
});
