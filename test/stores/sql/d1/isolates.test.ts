import { describe, expect, it } from 'vitest';
import { eventually, unique } from '../../../contracts/store-helpers.js';
import { hasWorkerd, needsWorkerd, pause, useWorkers } from './workers.js';

const uniques = (count: number) => Array.from({ length: count }, unique);
const ERR_STORE = { code: 'ERR_WEBHOOK_STORE' };

describe.skipIf(!hasWorkerd)(`two isolates on one D1 database${needsWorkerd}`, { timeout: 20_000 }, () => {
  const workers = useWorkers();

  it('have each effect once when they race for keys', async () => {
    const keys = uniques(20);
    const orders = [keys, keys.toReversed(), keys.slice(5), keys.slice(0, 12).toReversed()];
    await eventually(async () => {
      const calls = orders.flatMap((order) => ['one', 'two'].map((name) => workers.take(name, { keys: order })));
      const words = (await Promise.all(calls)).flat();
      expect(words.every((word) => word === 'duplicate')).toBe(true);
    }, 10_000);
    expect(await workers.effects(keys)).toBe(20);
  });

  it('follow the clock of the database, whatever their own clocks say', async () => {
    const settings = { leaseMs: 1500, retentionMs: 3000 };
    const [key, done] = [unique(), unique()];
    await workers.shiftClocks('two', 10 * 60_000);
    try {
      await workers.take('one', { keys: [done], settings });
      const running = workers.take('one', { keys: [key], holdMs: 700, settings });
      await pause(300);
      expect(await workers.take('two', { keys: [key, done], settings })).toEqual(['in-progress', 'duplicate']);
      expect(await running).toEqual(['handled']);
      expect(await workers.take('two', { keys: [unique()], holdMs: 300, settings })).toEqual(['handled']);
    } finally {
      await workers.shiftClocks('two', -10 * 60_000);
    }
    await pause(3200);
    expect(await workers.take('two', { keys: [done], settings })).toEqual(['handled']);
    expect(await workers.sweep('one')).toBeGreaterThanOrEqual(1);
  });

  it('take over the keys of an isolate that was evicted, once its lease is over', async () => {
    const settings = { leaseMs: 2000 };
    const keys = uniques(3);
    void workers.take('one', { keys, holdMs: 60_000, settings }).catch(() => 'gone');
    await eventually(async () => expect(await workers.effects(keys)).toBe(3));
    await workers.kill();
    await workers.start();
    expect(await workers.take('two', { keys, settings })).toEqual(Array(3).fill('in-progress'));
    await pause(2200);
    expect(await workers.take('two', { keys, settings })).toEqual(Array(3).fill('handled'));
    expect(await workers.effects(keys)).toBe(6);
    expect(await workers.take('one', { keys, settings })).toEqual(Array(3).fill('duplicate'));
  });

  it('take two queries a delivery, of a thousand long keys, too, and three if some are duplicates', async () => {
    const keys = uniques(1000).map((id) => id.padEnd(200, '.'));
    const sent = async (asked: readonly string[], ...expected: string[]) => {
      const before = await workers.statements('one');
      expect(new Set((await workers.take('one', { keys: asked })) as string[])).toEqual(new Set(expected));
      return (await workers.statements('one')) - before;
    };
    expect(await sent(keys, 'handled')).toBe(2);
    expect(await sent(keys, 'duplicate')).toBe(2);
    expect(await sent([unique(), ...keys], 'handled', 'duplicate')).toBe(3);
    expect(await workers.effects(keys)).toBe(1000);
  });

  it('free the keys of a claim whose answer was lost', async () => {
    const keys = uniques(2);
    await workers.fault('one', { text: 'RETURNING key', way: 'loses' });
    expect(await workers.take('one', { keys })).toMatchObject({ message: expect.stringContaining('connection lost') });
    await workers.fault('one');
    expect(await workers.take('two', { keys })).toEqual(['handled', 'handled']);
    expect(await workers.effects(keys)).toBe(2);
  });
});

describe.skipIf(!hasWorkerd)(`a request of a Worker that ends before its record${needsWorkerd}`, () => {
  const workers = useWorkers();
  const settings = { leaseMs: 60_000, timeoutMs: 1000 };
  /** The record, which is the only statement with both. */
  const record = 'owner = excluded.owner OR';

  it.each([
    ['its sender disconnects while its handler runs', false],
    ['its sender disconnects, and its work was passed to waitUntil', true],
  ])('leaves no effect twice, and no request that hangs: %s', { timeout: 20_000 }, async (_, waits) => {
    const keys = uniques(2);
    await workers.takeAndLeave('one', { keys, holdMs: 500, waits, settings });
    const start = performance.now();
    expect(await workers.take('one', { keys, settings })).toEqual(['in-progress', 'in-progress']);
    expect(await workers.take('two', { keys, settings })).toEqual(['in-progress', 'in-progress']);
    expect(performance.now() - start).toBeLessThan(3000);
    await pause(700);
    const word = waits ? 'duplicate' : 'in-progress';
    for (const name of ['one', 'two']) expect(await workers.take(name, { keys, settings })).toEqual([word, word]);
    expect(await workers.effects(keys)).toBe(2);
  });

  it.each(['fails', 'hangs'] as const)(
    'lets the next delivery of its keys record them: D1 %s',
    async (way) => {
      const keys = uniques(2);
      await workers.fault('one', { text: record, way });
      expect(await workers.take('one', { keys, settings })).toMatchObject(ERR_STORE);
      // The first request is over, and with it its retries.
      const [redelivery, other] = [workers.take('one', { keys, settings }), workers.take('two', { keys, settings })];
      expect(await redelivery).toMatchObject(ERR_STORE);
      expect(await other).toEqual(['in-progress', 'in-progress']);
      await workers.fault('one');
      await eventually(
        async () => expect(await workers.take('one', { keys, settings })).toEqual(['duplicate', 'duplicate']),
        10_000,
      );
      expect(await workers.take('two', { keys, settings })).toEqual(['duplicate', 'duplicate']);
      expect(await workers.effects(keys)).toBe(2);
    },
    20_000,
  );

  it('leaves no redelivery waiting that arrived before its sender disconnected', { timeout: 20_000 }, async () => {
    const keys = uniques(2);
    await workers.fault('one', { text: record, way: 'hangs' });
    let redelivery: Promise<unknown> = Promise.resolve();
    await workers.takeAndLeave('one', { keys, settings }, async () => {
      redelivery = workers.take('one', { keys, settings });
      await pause(200);
    });
    expect(await redelivery).toMatchObject(ERR_STORE);
    await workers.fault('one');
    await eventually(
      async () => expect(await workers.take('one', { keys, settings })).toEqual(['duplicate', 'duplicate']),
      10_000,
    );
    expect(await workers.effects(keys)).toBe(2);
  });

  it('keeps no request from other keys, even after a thousand requests that ended without an answer', async () => {
    await workers.fault('one', { text: 'INSERT', way: 'hangs' });
    const lost = Array.from({ length: 1100 }, () => workers.take('one', { keys: [unique()], settings }));
    for (const answer of await Promise.all(lost)) expect(answer).toMatchObject(ERR_STORE);
    await workers.fault('one');
    await workers.shiftClocks('one', 61_000);
    expect(await workers.take('one', { keys: [unique()], settings })).toEqual(['handled']);
  }, 30_000);
});
