import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchHandler } from '../../src/adapters/fetch.js';
import type { DeliveryMessage, EventMessage, HandlerMessage } from '../../src/handle/tracing.js';
import type { DeliveryResult, EventOutcome } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { event, noting, seconds, secret, signed } from '../helpers.js';

type AnyMessage = Omit<DeliveryMessage & Partial<EventMessage> & Partial<HandlerMessage>, 'result'> & {
  result?: DeliveryResult | EventOutcome;
};

const STEPS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;
const NAMES = ['delivery', 'event', 'handler'] as const;

/** Notes what is published until the test ends, as `delivery start` and so on, each with its message. */
function watch(names: readonly (typeof NAMES)[number][] = NAMES) {
  const steps: string[] = [];
  const messages = new Map<string, AnyMessage[]>(names.map((name) => [name, []]));
  for (const name of names) {
    const channel = tracingChannel<unknown, AnyMessage>(`event-webhook-receiver:${name}`);
    const note = (step: string) => (message: unknown) => {
      steps.push(`${name} ${step}`);
      const seen = messages.get(name);
      if (step === 'start') seen?.push(message as AnyMessage);
      else expect(seen).toContain(message);
    };
    const handlers = Object.fromEntries(STEPS.map((step) => [step, note(step)]));
    channel.subscribe(handlers as never);
    onTestFinished(() => void channel.unsubscribe(handlers as never));
  }
  return { steps, of: (name: string) => messages.get(name) ?? [] };
}

describe('the tracing channels', () => {
  it('tell the course of a delivery, its events and their handlers, each inside the other', async () => {
    const { steps } = watch();
    const { receiver } = noting({ onEvent: async () => {} });
    await receiver.handle(signed([event('a')]));
    const ofEach = (name: string) => steps.filter((step) => step.startsWith(name));
    for (const name of NAMES) {
      expect(ofEach(name)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'].map((step) => `${name} ${step}`));
    }
    const order = ['delivery start', 'event start', 'handler start', 'handler asyncEnd', 'event asyncEnd'];
    expect(steps.filter((step) => order.includes(step) || step === 'delivery asyncEnd')).toEqual([
      ...order,
      'delivery asyncEnd',
    ]);
  });

  it('say what arrived, what became of it and how it is answered', async () => {
    const { of } = watch();
    const handler = fetchHandler({ secret, onEvent: () => {} });
    const delivery = createTestDelivery([event('a'), { id: 'b', event: 'new.kind' }], { secret });
    const request = delivery.request();
    request.headers.set('Traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    expect((await handler(request)).status).toBe(200);
    const [message] = of('delivery');
    expect(message?.header?.('traceparent')).toMatch(/^00-0af7/);
    expect(message?.header?.('tracestate')).toBeUndefined();
    expect(message?.bodyBytes).toBe(delivery.rawBody.length);
    expect(message?.result).toMatchObject({ status: 200, outcomes: [{ status: 'handled' }, { status: 'unknown' }] });
    expect(of('event').map(({ item, result }) => [item?.status, result?.status])).toEqual([
      ['event', 'handled'],
      ['unknown', 'unknown'],
    ]);
    expect(of('handler').map(({ events }) => events?.map(({ id }) => id))).toEqual([['a']]);
  });

  it.each(['mockThrow', 'mockRejectedValue'] as const)(
    'say what a handler failed with (%s), and give its event and its delivery a result',
    async (how) => {
      const { steps, of } = watch();
      const failure = new Error('no');
      const onEvent = vi.fn()[how](failure);
      await noting({ onEvent }).receiver.handle(signed([event('a')]));
      expect(onEvent).toHaveBeenCalledOnce();
      expect(steps.filter((step) => step.endsWith('error'))).toEqual(['handler error']);
      expect(of('handler')[0]?.error).toBe(failure);
      expect(of('event')[0]?.result).toMatchObject({ status: 'failed', error: { code: 'ERR_WEBHOOK_HANDLER' } });
      expect(of('delivery')[0]).toMatchObject({ result: { status: 500 } });
    },
  );

  it('tell of onEvents and enqueue once, with the events that they are called with', async () => {
    const { of, steps } = watch(['handler']);
    const { receiver } = noting({ onEvents: () => {} });
    await receiver.handle(signed([event('a')]));
    await receiver.handle(signed([event('a'), event('b'), event('c')]));
    await noting({ enqueue: async () => {} }).receiver.handle(signed([event('d')]));
    expect(of('handler').map(({ events }) => events?.map(({ id }) => id))).toEqual([['a'], ['b', 'c'], ['d']]);
    expect(steps).not.toContain('handler error');
  });

  it('tell of a refusal before the body, which has no size and no items', async () => {
    const { of, steps } = watch();
    const { receiver } = noting();
    await receiver.handle({ ...signed([event('a')]), signature: 'none' });
    expect(of('delivery')).toMatchObject([{ result: { status: 403, outcomes: [] } }]);
    expect(of('delivery')[0]).not.toHaveProperty('bodyBytes');
    expect(steps).toEqual(['delivery start', 'delivery end', 'delivery asyncStart', 'delivery asyncEnd']);
  });

  it('hold no body, no secret and no signature in a message of theirs', async () => {
    const { of } = watch();
    const { receiver } = noting({ secret: 'whsec-never-told' });
    const genuine = signed([event('a')], { secret: 'whsec-never-told' });
    const forged = { ...genuine, rawBody: genuine.rawBody.replace('Transfer', 'Transfes') };
    await receiver.handle(genuine);
    await receiver.handle(forged);
    const { rawBody: body, request } = createTestDelivery([event('b')], {
      secret: 'whsec-never-told',
      timestamp: seconds,
    });
    await fetchHandler(receiver)(request());
    const messages = NAMES.flatMap(of);
    expect(messages).toHaveLength(7);
    const keys = new Set(messages.flatMap((message) => Object.keys(message)));
    expect([...keys].sort()).toEqual(['bodyBytes', 'events', 'header', 'item', 'result']);
    for (const message of messages) {
      const told = tellAll(message);
      expect(told).not.toContain('whsec-never-told');
      expect(told).not.toContain(genuine.signature);
      expect(told).not.toContain(genuine.rawBody);
      expect(told).not.toContain(body);
      expect(told).not.toContain('Transfes');
    }
  });
});

/** All text that can be reached from a value, with what errors hold beside their own keys. */
function tellAll(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)}: ${tellAll((value as Record<PropertyKey, unknown>)[key], seen)}`)
    .join('\n');
}
