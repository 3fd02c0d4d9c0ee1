import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HostTime } from '../../src/handle/host-time.js';
import { WebhookError } from '../../src/index.js';
import { type Arriving, createArrivals } from '../../src/receive/arrivals.js';
import { deferred } from '../helpers.js';

type Limits = Parameters<typeof createArrivals>[0];

/** Begins arrivals whose work hangs until it is let go, and notes which were dropped, in order. */
function start(limits: Partial<Limits> = {}) {
  const arrivals = createArrivals({
    maxArriving: 1000,
    maxArrivingBytes: 1000,
    maxLookUps: 100,
    receiveTimeoutMs: 1000,
    ...limits,
  });
  const dropped: number[] = [];
  const told: number[] = [];
  const settled: Promise<unknown>[] = [];
  const begun: { arrival: Arriving; end: () => void }[] = [];
  function begin(bytes = 0): Arriving {
    const id = begun.length;
    const gate = deferred();
    const running = arrivals.run((arrival) => {
      begun.push({ arrival, end: gate.resolve });
      arrival.onDrop(() => void told.push(id));
      return gate.promise;
    });
    settled.push(
      running.catch((error) => {
        dropped.push(id);
        return error;
      }),
    );
    const { arrival } = begun[id] as { arrival: Arriving };
    arrival.received(bytes);
    return arrival;
  }
  return { arrivals, begin, begun, dropped, told, settled };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('createArrivals', () => {
  it('gives what the work gives, and rejects as it does', async () => {
    const { arrivals } = start();
    await expect(arrivals.run(async () => 7)).resolves.toBe(7);
    const error = new Error('no');
    await expect(arrivals.run(() => Promise.reject(error))).rejects.toBe(error);
    const thrower = () => {
      throw error;
    };
    await expect(arrivals.run(thrower)).rejects.toBe(error);
  });

  it('drops the one that has been arriving longest when there is one too many, even if its work hangs', async () => {
    const { begin, dropped, settled } = start({ maxArriving: 2 });
    for (let count = 0; count < 5; count++) begin();
    await turn();
    expect(dropped).toEqual([0, 1, 2]);
    const error = await settled[0];
    expect(error).toBeInstanceOf(WebhookError);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_OVERLOADED', status: 503 });
    expect((error as Error).message).toMatch(/2 deliveries .* Raise maxArriving /);
  });

  it('drops as many as there are bytes too many, the oldest first', async () => {
    const { begin, dropped, settled } = start({ maxArrivingBytes: 10 });
    const first = begin(4);
    begin(0);
    begin(6);
    await turn();
    expect(dropped).toEqual([]);
    begin(5);
    await turn();
    // 4 + 0 + 6 + 5: without the first there are 11 still, without the second too.
    expect(dropped).toEqual([0, 1, 2]);
    expect((await settled[0]) as Error).toMatchObject({ message: expect.stringMatching(/Raise maxArrivingBytes /) });
    first.received(1_000_000);
    await turn();
    expect(dropped).toEqual([0, 1, 2]);
  });

  it('drops one that alone is too large, and counts on', async () => {
    const { begin, dropped } = start({ maxArrivingBytes: 10 });
    begin(11);
    begin(10);
    await turn();
    expect(dropped).toEqual([0]);
  });

  it('counts nothing of one that has ended', async () => {
    const { begin, begun, dropped } = start({ maxArriving: 2, maxArrivingBytes: 10 });
    const first = begin(10);
    begun[0]?.end();
    await turn();
    first.received(10);
    begin(10);
    begin(0);
    await turn();
    expect(dropped).toEqual([]);
  });

  it.each([Number.NaN, -5, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])(
    'counts %d bytes as none',
    async (bytes) => {
      const { begin, dropped } = start({ maxArrivingBytes: 10 });
      begin(bytes);
      begin(10);
      await turn();
      expect(dropped).toEqual([]);
      begin(1);
      await turn();
      expect(dropped).toEqual([0, 1]);
    },
  );

  it('tells the listener of a dropped one, at once or when it is set later', async () => {
    const { arrivals, begin, told } = start({ maxArriving: 1 });
    begin();
    begin();
    expect(told).toEqual([0]);
    let late: unknown;
    const running = arrivals.run(async (arrival) => {
      await turn();
      arrival.onDrop((error) => {
        late = error;
      });
    });
    begin();
    await expect(running).rejects.toMatchObject({ code: 'ERR_WEBHOOK_OVERLOADED' });
    await turn();
    await turn();
    expect(late).toMatchObject({ code: 'ERR_WEBHOOK_OVERLOADED' });
  });

  it('keeps the failure of a listener from the delivery in whose turn it is told', async () => {
    const { arrivals } = start({ maxArriving: 1 });
    const first = arrivals.run(async (arrival) => {
      arrival.onDrop(() => {
        throw new Error('cannot stop');
      });
      await new Promise(() => {});
    });
    await expect(arrivals.run(async () => 'newcomer')).resolves.toBe('newcomer');
    await expect(first).rejects.toMatchObject({ code: 'ERR_WEBHOOK_OVERLOADED' });
  });

  it('says which limit was reached', async () => {
    const { begin, settled } = start({ maxArriving: 2, maxArrivingBytes: 10 });
    begin(5);
    begin(6);
    for (let count = 0; count < 2; count++) begin();
    const said = (what: string, option: string) =>
      `Dropped as the delivery that had been arriving longest: ${what} were arriving at once. Raise ${option} if the senders are yours.`;
    expect(await settled[0]).toMatchObject({ message: said('10 bytes', 'maxArrivingBytes') });
    expect(await settled[1]).toMatchObject({ message: said('2 deliveries', 'maxArriving') });
  });

  it('drops none that is in its look-up, and afterwards not before those that were arriving then', async () => {
    const { arrivals, begin, dropped } = start({ maxArriving: 2 });
    const look = deferred();
    const looking = arrivals.lookUp(begin(), look.promise);
    for (let count = 0; count < 3; count++) begin();
    await turn();
    expect(dropped).toEqual([1]);
    look.resolve();
    await looking;
    begin();
    await turn();
    expect(dropped).toEqual([1, 2, 3]);
    begin();
    await turn();
    expect(dropped).toEqual([1, 2, 3, 0]);
  });

  it('refuses a look-up beyond maxLookUps until one settles, however it does', async () => {
    const { arrivals, begin } = start({ maxLookUps: 2 });
    const looks = [deferred(), deferred()];
    const looking = looks.map(({ promise }) => arrivals.lookUp(begin(), promise).catch(() => {}));
    expect(() => arrivals.checkLookUps()).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_OVERLOADED' }));
    looks[0]?.reject(new Error('no'));
    await looking[0];
    arrivals.checkLookUps();
  });

  it('drops those in their look-up at the end of a drain, which waits for them', async () => {
    const { arrivals, begin, dropped, told } = start({ maxLookUps: 1, maxArrivingBytes: 10 });
    const look = deferred();
    const looking = arrivals.lookUp(begin(10), look.promise);
    let isIdle = false;
    const idling = arrivals.idle().then(() => {
      isIdle = true;
    });
    await turn();
    expect(isIdle).toBe(false);
    for (let count = 0; count < 2; count++) arrivals.dropAll(new WebhookError('ERR_WEBHOOK_DRAINING', 'draining'));
    await idling;
    expect([dropped, told]).toEqual([[0], [0]]);
    // Its bytes are released, and its place is not: the look-up continues.
    begin(10);
    await turn();
    expect(dropped).toEqual([0]);
    expect(() => arrivals.checkLookUps()).toThrow();
    look.resolve();
    await looking;
    arrivals.checkLookUps();
  });

  it('takes back the places and bytes of requests whose timers and promises a host has ended', async () => {
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const { arrivals, begin, begun, dropped } = start({ maxLookUps: 2, maxArrivingBytes: 10, receiveTimeoutMs: 1000 });
    const never = new Promise<never>(() => {});
    now.mockReturnValue(0);
    void arrivals.lookUp(begin(6), never);
    now.mockReturnValue(1500);
    void arrivals.lookUp(begin(4), never);
    now.mockReturnValue(2000);
    expect(() => arrivals.checkLookUps()).toThrow();
    now.mockReturnValue(2001);
    arrivals.checkLookUps();
    begin(5);
    await turn();
    expect(dropped).toEqual([0]);
    begun[2]?.end();
    await turn();
    now.mockReturnValue(3501);
    // The second may be dropped again, once those that were arriving before have gone.
    begin(3);
    begin(4);
    await turn();
    expect(dropped).toEqual([0, 3]);
    begun[4]?.end();
    await turn();
    begin(7);
    await turn();
    expect(dropped).toEqual([0, 3, 1]);
  });

  it('is idle when the last has ended', async () => {
    const { arrivals, begin, begun } = start();
    await arrivals.idle();
    begin();
    begin();
    let idle = false;
    const idling = arrivals.idle().then(() => {
      idle = true;
    });
    for (const { end } of begun) {
      await turn();
      expect(idle).toBe(false);
      end();
    }
    await idling;
  });

  it.each([undefined, Number.POSITIVE_INFINITY])('drops none whose host sets no limit: %s', async (ms) => {
    const { arrivals } = start();
    const slow = () => new Promise((resolve) => setTimeout(resolve, 20, 'arrived'));
    await expect(arrivals.run(slow, new HostTime(() => ms))).resolves.toBe('arrived');
  });

  it('does as a plain list does, whatever comes, goes and grows', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('begin' as const), bytes: fc.integer({ min: 0, max: 12 }) }),
      fc.record({ kind: fc.constant('grow' as const), bytes: fc.integer({ min: 0, max: 6 }), which: fc.nat() }),
      fc.record({ kind: fc.constant('end' as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { begin, begun, dropped } = start({ maxArriving: 4, maxArrivingBytes: 20 });
        let model: { id: number; bytes: number }[] = [];
        const expected: number[] = [];
        for (const each of steps) {
          if (each.kind === 'begin') {
            model.push({ id: begun.length, bytes: 0 });
            if (model.length > 4) expected.push(model.shift()?.id ?? -1);
            begin(each.bytes);
            for (const { id } of model.slice(-1))
              model = model.map((one) => (one.id === id ? { id, bytes: each.bytes } : one));
          } else if (begun.length > 0) {
            const id = each.which % begun.length;
            if (each.kind === 'end') {
              begun[id]?.end();
              await turn();
              model = model.filter((one) => one.id !== id);
            } else {
              begun[id]?.arrival.received(each.bytes);
              model = model.map((one) => (one.id === id ? { id, bytes: one.bytes + each.bytes } : one));
            }
          }
          // One that is too large alone makes no other go.
          const large = model.find(({ bytes }) => bytes > 20);
          if (large) {
            expected.push(large.id);
            model = model.filter((one) => one !== large);
          }
          while (model.reduce((sum, { bytes }) => sum + bytes, 0) > 20) expected.push(model.shift()?.id ?? -1);
          await turn();
          expect(dropped).toEqual(expected);
        }
      }),
      { seed: 3, numRuns: 150 },
    );
  });
});
