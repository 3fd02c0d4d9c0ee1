import { tracingChannel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { context, DiagLogLevel, diag, trace } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError } from '../../src/index.js';
import { ContextStore } from '../../src/otel/follow.js';
import { instrumentWebhooks } from '../../src/otel/index.js';
import { deferred, event, noting, signed } from '../helpers.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { createSdk, idOf, instrumented, parentOf, useContexts } from './sdk.js';

useContexts();

const listening = () =>
  ['delivery', 'event', 'handler'].filter((name) => tracingChannel(`event-webhook-receiver:${name}`).hasSubscribers);

/** Every call of every method throws. */
function broken<T extends object>(): T {
  return new Proxy({} as T, {
    get: () => () => {
      throw new Error('The SDK is broken.');
    },
  });
}

describe('instrumentWebhooks', () => {
  expectNothingUnhandled();

  it('names itself with the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { tracerProvider, meterProvider } = createSdk();
    const asked = [vi.spyOn(tracerProvider, 'getTracer'), vi.spyOn(meterProvider, 'getMeter')];
    onTestFinished(instrumentWebhooks({ tracerProvider, meterProvider }));
    await noting().receiver.handle(signed([event('a')]));
    for (const get of asked) expect(get).toHaveBeenCalledWith('event-webhook-receiver', version);
  });

  it('leaves nothing behind when it is ended', async () => {
    const { stop, spans, points } = instrumented();
    const { receiver } = noting();
    expect(listening()).toEqual(['delivery', 'event', 'handler']);
    stop();
    stop();
    expect(listening()).toEqual([]);
    await receiver.handle(signed([event('a')]));
    expect(spans()).toEqual([]);
    expect(await points('webhook.deliveries')).toEqual([]);
  });

  it('still reports what is under way when it is ended, and then leaves nothing behind', async () => {
    const { stop, spans, points } = instrumented();
    const gate = deferred();
    const { receiver } = noting({ onEvent: () => gate.promise });
    const running = receiver.handle(signed([event('a')]));
    await Promise.resolve();
    stop();
    await receiver.handle({ ...signed([]), signature: '' });
    gate.resolve();
    await running;
    expect(spans('process')).toMatchObject([{ attributes: { 'http.response.status_code': 200 } }]);
    expect(await points('webhook.active_deliveries')).toEqual([{ attributes: {}, value: 0 }]);
    expect(listening()).toEqual([]);
  });

  it('called again takes the place of the one before, so that nothing is counted twice', async () => {
    const first = instrumented();
    const second = instrumented({ destination: 'second' });
    const { receiver } = noting();
    await receiver.handle(signed([event('a')]));
    expect(first.spans()).toEqual([]);
    expect(second.spans().map(({ name }) => name)).toEqual(['handle event.emitted', 'process second']);
    first.stop();
    await receiver.handle(signed([]));
    expect(await second.points('webhook.deliveries')).toMatchObject([{ value: 2 }]);
    const third = instrumented({ destination: 'third' });
    await receiver.handle(signed([]));
    expect(await second.points('webhook.deliveries')).toMatchObject([{ value: 2 }]);
    expect(third.spans()).toMatchObject([
      {
        name: 'process third',
        attributes: { 'messaging.destination.name': 'third', 'messaging.batch.message_count': 0 },
      },
    ]);
  });

  it('changes no answer when every call of the SDK throws, and tells OpenTelemetry’s own diagnostics', async () => {
    const told: unknown[] = [];
    diag.setLogger(
      { ...console, verbose() {}, error: (...args) => told.push(args[1]) },
      { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
    );
    onTestFinished(() => diag.disable());
    onTestFinished(instrumentWebhooks({ tracerProvider: broken(), meterProvider: broken() }));
    const { receiver, handled } = noting();
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 200 });
    expect(await receiver.handle({ ...signed([]), signature: '' })).toMatchObject({ status: 403 });
    expect(handled).toEqual(['a']);
    expect(told.length).toBeGreaterThan(0);
    expect(told.every((error) => /The SDK is broken/.test(String(error)))).toBe(true);
  });

  it.each([
    ['before it runs what it is given', () => broken<{ no(): never }>().no()],
    [
      'after it has run what it was given',
      (_context: unknown, run: () => unknown) => {
        run();
        throw new Error('late');
      },
    ],
  ])('runs a handler once when the context manager throws %s', async (_when, failing) => {
    const { receiver, handled } = noting();
    const { spans } = instrumented();
    const entered = context.with;
    context.with = failing as typeof entered;
    onTestFinished(() => {
      context.with = entered;
    });
    expect(await receiver.handle(signed([event('a')]))).toMatchObject({ status: 200 });
    expect(handled).toEqual(['a']);
    expect(parentOf(spans('handle')[0])).toBe(idOf(spans('process')[0]));
  });

  it.each([
    [{ maxEventSpans: -1 }, '`maxEventSpans` must be a number of at least 0, got a number out of range.'],
    [{ destination: '' }, '`destination` must be a non-empty string, got an empty string.'],
    [{ tracerProvider: {} }, '`tracerProvider` must be a TracerProvider, got an object.'],
    [{ meterProvider: 'otlp' }, '`meterProvider` must be a MeterProvider, got a string.'],
    [{ maxEventSpan: 1 }, '`instrumentWebhooks` has no option `maxEventSpan`. Did you mean `maxEventSpans`?'],
  ])('throws ConfigError for %j', (options, message) => {
    const run = () => instrumentWebhooks(options as never);
    expect(run).toThrow(ConfigError);
    expect(run).toThrow(message);
    expect(listening()).toEqual([]);
  });
});

describe('a context store that is entered as a scope', () => {
  it('makes its context active until the scope ends', async () => {
    const { tracer } = createSdk();
    const span = tracer.startSpan('entered');
    const store = new ContextStore();
    await new Promise<void>((done) => {
      setImmediate(() => {
        const scope = store.withScope(trace.setSpan(context.active(), span));
        expect(trace.getSpan(context.active())).toBe(span);
        expect(store.getStore()).toBeDefined();
        leave(scope);
        expect(trace.getSpan(context.active())).toBeUndefined();
        expect(store.getStore()).toBeUndefined();
        done();
      });
    });
  });

  it('asks the API for that where it can, and survives one that fails', () => {
    const steps: string[] = [];
    const entered = context.active();
    const api = context as unknown as { attach?: (entered: unknown) => { dispose(): void } };
    onTestFinished(() => {
      delete api.attach;
    });
    api.attach = (given) => {
      steps.push(given === entered ? 'attached' : 'attached another');
      return { dispose: () => steps.push('disposed') };
    };
    leave(new ContextStore().withScope(undefined));
    leave(new ContextStore().withScope(entered));
    expect(steps).toEqual(['attached', 'disposed']);
    api.attach = () => broken();
    leave(new ContextStore().withScope(entered));
    api.attach = () => broken<{ no(): never }>().no();
    leave(new ContextStore().withScope(entered));
    expect(context.active()).toBe(entered);
  });
});

function leave(scope: object): void {
  const [key] = Object.getOwnPropertySymbols(scope);
  (scope as Record<symbol, () => void>)[key as symbol]?.();
}
