import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebhookError } from '../../src/index.js';
import { createArrivals } from '../../src/receive/arrivals.js';
import type { ReceiveOptions } from '../../src/receive/options.js';
import { deferred } from '../helpers.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Deliveries that arrive, and ask for places of look-ups. */
function open(maxLookUps: number) {
  const limits = { maxArriving: 1000, maxArrivingBytes: 1000, maxLookUps, receiveTimeoutMs: 1000 };
  const arrivals = createArrivals(limits as ReceiveOptions);
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);

  /** A delivery that arrives until the test ends it. */
  function begin(bytes = 0) {
    const work = deferred();
    const looking = deferred();
    let arrival: Parameters<typeof arrivals.drop>[0] | undefined;
    const run = arrivals.run((each) => {
      arrival = each;
      return work.promise;
    });
    run.catch(() => {});
    const begun = arrival as NonNullable<typeof arrival>;
    begun.received(bytes);
    return {
      arrival: begun,
      /** Whether its look-up got a place. */
      asks(): boolean {
        try {
          arrivals.checkLookUps(begun);
        } catch {
          work.resolve();
          return false;
        }
        arrivals.lookUp(begun, looking.promise);
        return true;
      },
      async settles() {
        looking.resolve();
        await turn();
      },
    };
  }
  const all = Array.from({ length: maxLookUps }, begin);
  const fill = () => all.map((each) => each.asks());
  return { arrivals, random, begin, all, fill };
}

describe('the places of look-ups', () => {
  it('are counted among what is arriving, without deliveries that were dropped', async () => {
    const { arrivals, begin } = open(0);
    const [waiting, looking, other, dropped] = [begin(), begin(), begin(), begin()];
    for (const each of [looking, other, dropped]) arrivals.lookUp(each.arrival, each.settles());
    const told = vi.fn();
    dropped.arrival.onDrop(told);
    for (const _ of [1, 2]) arrivals.drop(dropped.arrival, new WebhookError('ERR_WEBHOOK_OVERLOADED', 'test'));
    expect(told).toHaveBeenCalledOnce();
    expect(arrivals.size).toBe(3);
    await turn();
    expect(arrivals.size).toBe(3);
    arrivals.drop(waiting.arrival, new WebhookError('ERR_WEBHOOK_OVERLOADED', 'test'));
    expect(arrivals.size).toBe(2);
  });

  it('keep the bytes of their deliveries, so that others are dropped for a new one that just fits beside them', () => {
    const { begin } = open(1);
    const looking = begin(600);
    looking.asks();
    const [other, last] = [begin(1), begin(400)];
    expect([looking, other, last].map(({ arrival }) => arrival.isOver)).toEqual([false, true, false]);
  });

  it('are taken back from a look-up that has not ended after twice its time', () => {
    const { fill, begin, arrivals } = open(1);
    expect(fill()).toEqual([true]);
    vi.advanceTimersByTime(2000);
    expect(begin().asks()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(begin().asks()).toBe(true);
    expect(arrivals.size).toBeGreaterThanOrEqual(2);
  });

  it('are given by chance in a flood, so that the most frequent sender does not get them all', async () => {
    const { fill, all, begin, random } = open(100);
    expect(fill()).not.toContain(false);
    for (let asked = 0; asked < 200; asked++) expect(begin().asks()).toBe(false);
    await all[0]?.settles();
    random.mockReturnValue(0.05);
    expect(begin().asks()).toBe(false);
    random.mockReturnValue(0);
    expect(begin().asks()).toBe(true);
  });

  it('are given to all again once more than half of them are free', async () => {
    const { fill, all, begin, random } = open(100);
    fill();
    for (let asked = 0; asked < 200; asked++) begin().asks();
    random.mockReturnValue(0.99);
    for (const each of all.slice(0, 50)) await each.settles();
    expect(begin().asks()).toBe(false);
    await all[50]?.settles();
    expect(begin().asks()).toBe(true);
  });
});
