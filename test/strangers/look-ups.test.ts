import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { playLookUps } from '../../bench/lib/look-ups.js';
import { createReceiver, createVerifier, signDelivery } from '../../src/index.js';
import { deferred, event, noting, secret, signed } from '../helpers.js';

const turn = () => new Promise(setImmediate);
const overloaded = { status: 503, error: { code: 'ERR_WEBHOOK_OVERLOADED' } };

it.each([
  ['that take their time', 1.5, {}],
  ['that come like clockwork for a pool of 10 connections', 3, { steady: true, genuine: 200, connections: 10 }],
])(
  'genuine deliveries beside the look-ups of strangers %s get at least 0.85 of their share at %d × capacity',
  async (_how, overload, settings) => {
    const shares: number[] = [];
    for (const seed of [1, 2, 3]) {
      const { share, most } = await playLookUps({ createReceiver, signDelivery }, { ...settings, overload, seed });
      shares.push(share);
      expect(most).toBeLessThanOrEqual(100);
    }
    expect(shares.reduce((sum, share) => sum + share) / 3, String(shares)).toBeGreaterThan(0.85);
  },
  120_000,
);

describe('a delivery whose secret is being looked up', () => {
  it.each([
    ['a receiver', (options: object) => createReceiver({ secret, onEvent: () => {}, ...options }).handle],
    [
      'a verifier',
      (options: object) => {
        const { verify } = createVerifier({ secret, ...options });
        return async (delivery: ReturnType<typeof signed>) => (await verify(delivery)).refusal ?? { status: 200 };
      },
    ],
  ])('is not dropped for a newcomer, which %s refuses when maxLookUps are under way', async (_kind, handlerOf) => {
    const lookUps: ReturnType<typeof deferred<string>>[] = [];
    const handle = handlerOf({
      toleranceSeconds: false,
      maxLookUps: 2,
      maxArriving: 1,
      secret: () => {
        const lookUp = deferred<string>();
        lookUps.push(lookUp);
        return lookUp.promise;
      },
    });
    const delivery = signed([event('a')]);
    const [first, second] = [handle(delivery), handle(delivery)];
    expect(await handle(delivery)).toMatchObject(overloaded);
    expect(lookUps).toHaveLength(2);
    lookUps[1]?.resolve(secret);
    expect(await second).toMatchObject({ status: 200 });
    const third = handle(delivery);
    expect(lookUps).toHaveLength(3);
    for (const { resolve } of lookUps) resolve(secret);
    expect(await first).toMatchObject({ status: 200 });
    expect(await third).toMatchObject({ status: 200 });
  });

  it.each([
    ['when it settles', true],
    ['after twice receiveTimeoutMs if it hangs', false],
  ])(
    'is refused after receiveTimeoutMs, when its signal is aborted, and gives its place back %s',
    async (_when, ends) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const found = deferred<string>();
      const signals: AbortSignal[] = [];
      const { receiver } = noting({
        maxLookUps: 1,
        receiveTimeoutMs: 1000,
        secret: ({ signal }) => {
          signals.push(signal);
          return signals.length === 1 ? found.promise : secret;
        },
      });
      const slow = receiver.handle(signed([event('a')]));
      const next = () => receiver.handle(signed([event('b')]));
      expect(await next()).toMatchObject(overloaded);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      await vi.advanceTimersByTimeAsync(1000);
      expect(await slow).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_SECRET' } });
      expect(signals[0]?.reason).toMatchObject({ message: expect.stringContaining('receiveTimeoutMs') });
      await vi.advanceTimersByTimeAsync(900);
      expect(await next()).toMatchObject(overloaded);
      if (ends) found.reject(new Error('aborted'));
      await vi.advanceTimersByTimeAsync(ends ? 0 : 101);
      expect((await next()).status).toBe(200);
    },
  );

  it('keeps its place and aborts its signal when the host’s time is over: it is handled by nobody', async () => {
    const found = deferred<string>();
    let signal: AbortSignal | undefined;
    const { receiver, handled } = noting({
      maxLookUps: 1,
      secret: (request) => {
        signal = request.signal;
        return found.promise;
      },
    });
    const late = receiver.handle({ ...signed([event('a')]), remainingMs: () => 120 });
    expect(signal?.aborted).toBe(false);
    expect(await late).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_OUT_OF_TIME' } });
    expect(signal?.reason).toMatchObject({ code: 'ERR_WEBHOOK_OUT_OF_TIME' });
    expect(await receiver.handle(signed([event('b')]))).toMatchObject(overloaded);
    found.resolve(secret);
    await turn();
    expect((await receiver.handle(signed([event('b')]))).status).toBe(200);
    expect(handled).toEqual(['b']);
  });

  it.each([0, 20])('has its signal aborted at the end of a drain of %d ms', async (timeoutMs) => {
    let signal: AbortSignal | undefined;
    const { receiver } = noting({
      secret: (request) => {
        signal = request.signal;
        return new Promise(() => {});
      },
    });
    const refused = receiver.handle(signed([event('a')]));
    const drained = receiver.drain({ timeoutMs });
    expect(signal?.aborted).toBe(false);
    await drained;
    expect(signal?.reason).toMatchObject({ code: 'ERR_WEBHOOK_DRAINING' });
    expect(await refused).toMatchObject({ status: 503 });
  });
});

const bodyOf = (bytes: number) => {
  const rawBody = `[${' '.repeat(bytes - 2)}]`;
  const { signature, timestamp } = signDelivery(rawBody, { secret, timestamp: 1_700_000_000 });
  return { rawBody, signature, timestamp };
};

it('bytes of deliveries in a look-up stay in maxArrivingBytes: beyond it the newcomer is refused, nobody else', async () => {
  const found = deferred<string>();
  let lookUps = 0;
  const { receiver } = noting({
    maxBodyBytes: 100,
    maxArrivingBytes: 100,
    secret: () => {
      lookUps++;
      return found.promise;
    },
  });
  // Its body never ends.
  const stalled = receiver.handleRequest({
    method: 'POST',
    header: (name) => ({ 'x-service-signature': '0'.repeat(64), 'x-service-timestamp': '1' })[name],
    rawBody:
      () =>
      ({ arrival }) => {
        arrival.received(10);
        return new Promise(() => {});
      },
  });
  const first = receiver.handle(bodyOf(60));
  const second = await receiver.handle(bodyOf(50));
  expect(second).toMatchObject(overloaded);
  expect(second.error?.message).toMatch(/maxArrivingBytes.*cache/);
  expect(lookUps).toBe(1);
  // One that fits if the stalled one makes room.
  const third = receiver.handle(bodyOf(40));
  expect(await stalled).toMatchObject(overloaded);
  expect(lookUps).toBe(2);
  found.resolve(secret);
  expect([(await first).status, (await third).status]).toEqual([200, 200]);
  expect((await receiver.handle(bodyOf(100))).status).toBe(200);
});

it('look-ups do not begin for a delivery that was dropped in the turn in which its body was complete', async () => {
  let lookUps = 0;
  const read = deferred<Uint8Array>();
  const { receiver } = noting({
    maxArriving: 1,
    secret: async () => {
      lookUps++;
      return secret;
    },
  });
  const { rawBody, signature, timestamp } = signed([event('a')]);
  const headers: Record<string, string> = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
  const first = receiver.handleRequest({
    method: 'POST',
    header: (name) => headers[name],
    rawBody: () => () => read.promise,
  });
  read.resolve(new TextEncoder().encode(rawBody));
  const second = receiver.handle(signed([event('b')]));
  expect(await first).toMatchObject(overloaded);
  expect((await second).status).toBe(200);
  await turn();
  expect(lookUps).toBe(1);
});
