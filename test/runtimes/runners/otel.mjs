// Instrumented receivers over HTTP in this runtime, by import or by require. Prints what the SDK was given.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [how] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const load = (name) => (how === 'require' ? require(name) : import(name));

const { context, propagation, trace } = await load('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = await load('@opentelemetry/context-async-hooks');
const { W3CTraceContextPropagator } = await load('@opentelemetry/core');
const { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
  await load('@opentelemetry/sdk-metrics');
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = await load('@opentelemetry/sdk-trace-base');
const { nodeHandler } = await load('event-webhook-receiver/node');
const { instrumentWebhooks } = await load('event-webhook-receiver/otel');
const { createTestDelivery, sampleEventEmitted } = await load('event-webhook-receiver/testing');

const CUMULATIVE = 1;
const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const metricExporter = new InMemoryMetricExporter(CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
const meterProvider = new MeterProvider({ readers: [reader] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
const stop = instrumentWebhooks({ tracerProvider, meterProvider });

const secret = 'whsec-otel';
const tracer = tracerProvider.getTracer('user');
const receive = nodeHandler({
  secret,
  concurrency: 2,
  async onEvent(event) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    tracer.startSpan(`work ${event.id}`).end();
  },
});
const server = createServer(receive).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function send(name, ids, forge = (headers) => headers) {
  const span = tracer.startSpan(name);
  const events = ids.map((id) => sampleEventEmitted({ id }));
  const { rawBody: body, headers } = createTestDelivery(events, { secret });
  propagation.inject(trace.setSpan(context.active(), span), headers);
  const { status } = await fetch(url, { method: 'POST', headers: forge(headers), body });
  span.end();
  return status;
}

const forge = (headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, /signature/i.test(name) ? 'no' : value]));
const statuses = await Promise.all([
  send('send a', ['a1', 'a2']),
  send('send b', ['b1', 'b2']),
  send('send c', ['c'], forge),
]);
stop();
statuses.push(await send('unseen', ['d']));
server.close();
server.closeAllConnections();

const spans = exporter.getFinishedSpans();
const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
const pathOf = (span) => {
  const parent = byId.get(span?.parentSpanContext?.spanId);
  const { 'messaging.message.id': id = '' } = span.attributes;
  return `${span.name} ${id}`.trim() + (parent ? ` < ${pathOf(parent)}` : '');
};
await reader.forceFlush();
const [{ scopeMetrics }] = metricExporter.getMetrics();
const counted = scopeMetrics
  .flatMap(({ metrics }) => metrics)
  .filter(({ descriptor }) => descriptor.name === 'webhook.deliveries')
  .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => [attributes['error.type'] ?? 'none', value]));
console.log(JSON.stringify({ statuses, paths: spans.map(pathOf).sort(), counted: counted.sort() }));
await meterProvider.shutdown();
