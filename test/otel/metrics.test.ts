import { createNoopMeter, metrics as globalMetrics } from '@opentelemetry/api';
import { DataPointType, type HistogramMetricData } from '@opentelemetry/sdk-metrics';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NonRetryableError } from '../../src/index.js';
import { instrumentWebhooks } from '../../src/otel/index.js';
import { sampleTransactionIncluded } from '../../src/testing/index.js';
import { deferred, event, noting, signed } from '../helpers.js';
import { following, hashOf, logOf } from '../receiver/scripted-reorgs.js';
import { onSteadyClock } from '../steady-clock.js';
import { createSdk, instrumented } from './sdk.js';

onSteadyClock();

const NAMES = [
  'messaging.client.consumed.messages',
  'messaging.process.duration',
  'webhook.active_deliveries',
  'webhook.deliveries',
  'webhook.delivery.body.size',
  'webhook.handler.duration',
  'webhook.in_flight',
];

const COMMON = {
  'messaging.system': 'webhook',
  'messaging.operation.name': 'process',
  'messaging.operation.type': 'process',
  'messaging.destination.name': 'event-webhooks',
};

const counted = (points: readonly { value: unknown }[]) =>
  points.map(({ value }) => (value as HistogramMetricData['dataPoints'][number]['value']).count);

describe('the metrics', () => {
  it('are these, each with a unit, a description and what the conventions want of all', async () => {
    const { metrics } = instrumented();
    await noting().receiver.handle(signed([event('a')]));
    const found = await metrics();
    expect(found.map(({ descriptor }) => descriptor.name).sort()).toEqual(NAMES);
    for (const { descriptor, dataPoints } of found) {
      expect(descriptor.unit).toMatch(/^(s|By|\{delivery\}|\{message\})$/);
      expect(descriptor.description).not.toBe('');
      for (const { attributes } of dataPoints) expect(attributes).toMatchObject(COMMON);
    }
  });

  it('count dead letters', async () => {
    const { points } = instrumented();
    const onEvent = () => {
      throw new NonRetryableError('Bad.');
    };
    const { receiver } = noting({ onEvent, deadLetters: {} });
    await receiver.handle(signed([event('a'), sampleTransactionIncluded({ id: 'b' }), event('c')]));
    await receiver.deadLetters.retry({});
    expect(await points('webhook.dead_letters')).toEqual([
      { attributes: { 'webhook.event.kind': 'event.emitted' }, value: 2 },
      { attributes: { 'webhook.event.kind': 'transaction.included' }, value: 1 },
    ]);
  });

  it('count what followed a re-org', async () => {
    const { points } = instrumented();
    const { deliver, settle, chain } = following({ failing: ['-A11#0'] });
    await deliver(logOf('A'), logOf('A', { number: 11 }));
    for (const number of [10, 11]) chain.canonical.set(number, hashOf('B', number));
    await settle();
    const attributes = { 'webhook.reorg.chain_id': 31337 };
    expect(await points('webhook.reorg.events')).toEqual([
      { attributes: { ...attributes, 'webhook.reorg.change': 'reverted' }, value: 1 },
      { attributes: { ...attributes, 'webhook.reorg.change': 'failed' }, value: 1 },
    ]);
    expect(await points('webhook.reorg.oldest_block')).toEqual([{ attributes, value: 10 }]);
  });

  it('show how many events may still change, and from which block on', async () => {
    const { points } = instrumented();
    const { deliver, settle, chain } = following();
    await deliver(logOf('A'), logOf('A', { number: 11 }));
    for (const number of [10, 11]) chain.canonical.set(number, hashOf('A', number));
    const found: unknown[] = [];
    for (chain.finalNumber of [9, 10, 11]) {
      await settle();
      for (const name of ['open', 'oldest_block']) found.push((await points(`webhook.reorg.${name}`))[0]?.value);
    }
    expect(found).toEqual([2, 10, 1, 11, 0, 11]);
  });

  it('count deliveries by status and code of refusal', async () => {
    const { points } = instrumented();
    const { receiver } = noting({ onEvent: ({ id }) => (id === 'bad' ? Promise.reject(new Error('no')) : undefined) });
    const genuine = signed([event('a')]);
    await receiver.handle(genuine);
    await receiver.handle(genuine);
    await receiver.handle(signed([event('bad')]));
    await receiver.handle({ ...genuine, signature: '0'.repeat(64) });
    await receiver.handle({ ...genuine, signature: 'none' });
    await receiver.handle(signed({} as never));
    await receiver.drain();
    await receiver.handle(genuine);
    const refused = (status: number, code: string) => ({
      attributes: { 'http.response.status_code': status, 'error.type': `ERR_WEBHOOK_${code}` },
      value: 1,
    });
    expect(await points('webhook.deliveries')).toEqual([
      { attributes: { 'http.response.status_code': 200 }, value: 2 },
      refused(500, 'HANDLER'),
      refused(403, 'SIGNATURE'),
      refused(403, 'HEADER'),
      refused(400, 'INVALID_BODY'),
      refused(503, 'DRAINING'),
    ]);
  });

  it('count events by kind and outcome; kinds that a sender makes up are all one', async () => {
    const { points } = instrumented({ maxEventSpans: 0 });
    const { receiver } = noting();
    const unknown = Array.from({ length: 50 }, (_, n) => ({ id: `n${n}`, event: `made.up.${n}` }));
    await receiver.handle(signed([event('a'), event('a'), sampleTransactionIncluded(), ...unknown, { id: 'x' }]));
    const point = (kind: string, outcome: string, value: number, error?: string) => ({
      attributes: {
        'webhook.event.kind': kind,
        'webhook.event.outcome': outcome,
        ...(error ? { 'error.type': error } : {}),
      },
      value,
    });
    const found = await points('messaging.client.consumed.messages');
    expect(found).toHaveLength(5);
    expect(found).toEqual(
      expect.arrayContaining([
        point('event.emitted', 'handled', 1),
        point('event.emitted', 'duplicate', 1),
        point('transaction.included', 'handled', 1),
        point('other', 'unknown', 50),
        point('other', 'invalid', 1, 'ERR_WEBHOOK_INVALID_EVENT'),
      ]),
    );
  });

  it('have no attribute that a stranger can choose', async () => {
    const { metrics } = instrumented();
    const { receiver } = noting();
    for (let n = 0; n < 50; n++) {
      await receiver.handle({ rawBody: `body ${n}`, signature: `${n}`.padStart(64, '0'), timestamp: `${n}` });
      await receiver.handle({ rawBody: `body ${n}`, signature: `${n}`, timestamp: `t${n}` });
    }
    for (const { dataPoints } of await metrics()) expect(dataPoints.length).toBeLessThanOrEqual(2);
  });

  it('time handlers by kind and by what they failed with, and no duplicate', async () => {
    const { points } = instrumented();
    const onEvent = ({ id }: { id: string }): unknown => {
      if (id === 'slow') return new Promise(() => {});
      return id === 'bad' ? Promise.reject(new Error(`${Math.random()}`)) : undefined;
    };
    const { receiver } = noting({ handlerTimeoutMs: 20, onEvent });
    const events = [event('a'), event('a'), event('b'), event('bad'), event('slow'), sampleTransactionIncluded()];
    await receiver.handle(signed(events));
    const found = await points('webhook.handler.duration');
    expect(found.map(({ attributes }) => attributes)).toEqual([
      { 'webhook.event.kind': 'event.emitted' },
      { 'webhook.event.kind': 'event.emitted', 'error.type': '_OTHER' },
      { 'webhook.event.kind': 'event.emitted', 'error.type': 'ERR_WEBHOOK_HANDLER_TIMEOUT' },
      { 'webhook.event.kind': 'transaction.included' },
    ]);
    expect(counted(found)).toEqual([2, 1, 1, 1]);
  });

  it('are in seconds and bytes, with buckets for what they measure', async () => {
    const { metrics } = instrumented();
    const delivery = signed([event('a')]);
    let now = 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const onEvent = () => {
      now += 2500;
    };
    await noting({ onEvent }).receiver.handle(delivery);
    const histograms = (await metrics()).filter(({ dataPointType }) => dataPointType === DataPointType.HISTOGRAM);
    const values = Object.fromEntries(
      (histograms as HistogramMetricData[]).map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints[0]?.value,
      ]),
    );
    expect(values['webhook.delivery.body.size']).toMatchObject({ count: 1, sum: delivery.rawBody.length });
    expect(values['webhook.delivery.body.size']?.buckets.boundaries.at(-1)).toBe(10 * 1024 * 1024);
    expect(values['messaging.process.duration']?.buckets.boundaries).toEqual([
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 20, 30, 60, 120,
    ]);
    expect(values['webhook.handler.duration']?.buckets.boundaries).toEqual([
      0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 120,
    ]);
    expect(values['messaging.process.duration']).toMatchObject({ count: 1, sum: 2.5 });
    expect(values['webhook.handler.duration']).toMatchObject({ count: 1, sum: 2.5 });
  });

  it('know how many places of maxInFlight are in use: not by what is arriving, but by handlers that hang', async () => {
    const { points } = instrumented();
    const gate = deferred();
    const { receiver } = noting({ maxInFlight: 2, handlerTimeoutMs: 60, onEvent: () => gate.promise });
    const body = deferred<Uint8Array>();
    const { signature, timestamp } = signed([]);
    const headers: Record<string, string> = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
    const stranger = receiver.handleRequest({
      method: 'POST',
      header: (name) => headers[name],
      rawBody: () => () => body.promise,
    });
    const inUse = async () => ({
      active: (await points('webhook.active_deliveries'))[0]?.value,
      inFlight: (await points('webhook.in_flight'))[0]?.value,
    });
    await receiver.handle(signed([]));
    expect(await inUse()).toEqual({ active: 1, inFlight: 0 });
    for (const id of ['a', 'b']) {
      const { error } = await receiver.handle(signed([event(id)]));
      expect(error?.code).toBe('ERR_WEBHOOK_HANDLER_TIMEOUT');
    }
    expect(await inUse()).toEqual({ active: 1, inFlight: 2 });
    expect(await receiver.handle(signed([]))).toMatchObject({ error: { code: 'ERR_WEBHOOK_OVERLOADED' } });
    gate.resolve();
    body.resolve(new Uint8Array());
    expect(await stranger).toMatchObject({ status: 403 });
    await receiver.drain();
    expect(await inUse()).toEqual({ active: 0, inFlight: 0 });
  });

  it('go to the provider that is global when the first delivery comes', async () => {
    const { meterProvider, points } = createSdk();
    onTestFinished(instrumentWebhooks());
    onTestFinished(() => globalMetrics.disable());
    expect(globalMetrics.getMeter('')).toBe(createNoopMeter());
    globalMetrics.setGlobalMeterProvider(meterProvider);
    const made = vi.spyOn(meterProvider, 'getMeter');
    for (let i = 0; i < 2; i++) await noting().receiver.handle(signed([]));
    expect(await points('webhook.deliveries')).toMatchObject([{ value: 2 }]);
    expect(made).toHaveBeenCalledTimes(1);
  });
});
