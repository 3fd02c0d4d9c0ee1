import { type Attributes, context, propagation, type Span, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type InstrumentationOptions, instrumentWebhooks } from '../../src/otel/index.js';

/** Makes what an SDK makes global: the context manager and the propagators of W3C. */
export function useContexts(): void {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
    propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
  });
  afterAll(() => {
    context.disable();
    propagation.disable();
  });
}

/** A whole SDK in memory. */
export function createSdk() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => meterProvider.shutdown());

  async function metrics(): Promise<MetricData[]> {
    metricExporter.reset();
    await reader.forceFlush();
    return metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  }

  return {
    tracerProvider,
    meterProvider,
    tracer: tracerProvider.getTracer('test'),
    /** Those that have ended, in the order of their ends. */
    spans: (name = ''): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name.startsWith(name)),
    metrics,
    /** The points of a metric, without the attributes that all of ours have. */
    async points(name: string): Promise<{ attributes: Attributes; value: unknown }[]> {
      const metric = (await metrics()).find(({ descriptor }) => descriptor.name === name);
      return (metric?.dataPoints ?? []).map(({ attributes, value }) => ({ attributes: own(attributes), value }));
    },
  };
}

function own(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !key.startsWith('messaging.')));
}

/** An SDK that the receivers of this test report to until it ends. */
export function instrumented(options: InstrumentationOptions = {}) {
  const sdk = createSdk();
  const { tracerProvider, meterProvider } = sdk;
  const stop = instrumentWebhooks({ tracerProvider, meterProvider, ...options });
  onTestFinished(stop);
  return { ...sdk, stop };
}

/** Runs something inside an active span, and ends that. */
export async function inSpan<T>(tracer: ReturnType<typeof createSdk>['tracer'], name: string, run: (span: Span) => T) {
  const span = tracer.startSpan(name);
  try {
    return await context.with(trace.setSpan(context.active(), span), () => run(span));
  } finally {
    span.end();
  }
}

export const idOf = (span: ReadableSpan | Span | undefined) => span?.spanContext().spanId;
export const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
