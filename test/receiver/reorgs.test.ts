import { describe, expect, it } from 'vitest';
import { ConfigError, createReceiver, memoryStore } from '../../src/index.js';
import type { KeptLog, LogStore, OpenLog } from '../../src/stores/log-store.js';
import { sampleTransactionIncluded } from '../../src/testing/index.js';
import { deferred, secret } from '../helpers.js';
import { statuses } from './at-once.js';
import { following, hashOf, logOf, scriptedChain } from './scripted-reorgs.js';

describe('an event whose block leaves the chain', () => {
  it('is applied at once, reverted, and applied again when the block returns', async () => {
    const { deliver, settle, chain, calls } = following();
    expect(statuses(await deliver(logOf('A')))).toEqual(['handled']);
    chain.canonical.set(10, hashOf('A'));
    expect(await settle()).toMatchObject({ applied: 0, reverted: 0, open: 1, oldestBlock: 10 });
    chain.canonical.set(10, hashOf('B'));
    expect(await settle()).toMatchObject({ applied: 0, reverted: 1, failed: 0, final: 0, open: 1 });
    expect(await settle()).toMatchObject({ applied: 0, reverted: 0, open: 1 });
    chain.canonical.set(10, hashOf('A'));
    expect(await settle()).toMatchObject({ applied: 1, reverted: 0 });
    expect(calls).toEqual(['+A10#0 1', '-A10#0 1', '+A10#0 2']);
  });

  it('is reverted and applied again in re-orgs of 256 blocks, which flip back and forth', async () => {
    const { deliver, settle, chain, calls } = following();
    const numbers = Array.from({ length: 256 }, (_, at) => 10 + at);
    await deliver(...numbers.map((number) => logOf('A', { number })));
    for (const block of ['B', 'A', 'B']) {
      for (const number of numbers) chain.canonical.set(number, hashOf(block, number));
      calls.length = 0;
      expect(await settle()).toMatchObject({ [block === 'A' ? 'applied' : 'reverted']: 256, failed: 0, open: 256 });
      expect(await settle()).toMatchObject({ applied: 0, reverted: 0 });
    }
    expect(calls.map((call) => call.split('#')[0])).toEqual(numbers.map((number) => `-A${number}`).reverse());
  });

  it('is reverted once when its block is replaced while it is applied, or returns while it is reverted', async () => {
    const calls: string[] = [];
    const show = (block: string) => chain.canonical.set(10, hashOf(block));
    const { deliver, settle, chain } = following({
      async onEvent() {
        calls.push('+');
        if (calls.length === 1) show('B');
      },
      async onReverted() {
        calls.push('-');
        show('A');
      },
    });
    show('A');
    chain.isSilentAtDeliveries = false;
    expect(statuses(await deliver(logOf('A')))).toEqual(['handled']);
    expect(await settle()).toMatchObject({ reverted: 1 });
    expect(await settle()).toMatchObject({ applied: 1 });
    expect(await settle()).toMatchObject({ applied: 0, reverted: 0, open: 1 });
    expect(calls).toEqual(['+', '-', '+']);
  });

  it('does not change once its block is final', async () => {
    const { deliver, settle, chain, calls } = following();
    await deliver(logOf('A'), logOf('B'));
    chain.canonical.set(10, hashOf('B'));
    chain.finalNumber = 10;
    expect(await settle()).toEqual({
      ...{ chainId: 31337, applied: 0, reverted: 1, failed: 0, final: 2, open: 0 },
      ...{ oldestBlock: undefined, isElsewhere: false },
    });
    chain.canonical.set(10, hashOf('A'));
    expect(await settle()).toMatchObject({ applied: 0, reverted: 0, final: 0, open: 0 });
    expect(statuses(await deliver(logOf('A'), logOf('B')))).toEqual(['duplicate', 'duplicate']);
    expect(calls).toEqual(['+A10#0 1', '+B10#0 1', '-A10#0 1']);
  });

  it('stays as it is while no node gives a block at its number', async () => {
    const { deliver, settle, chain, calls } = following();
    await deliver(logOf('A'));
    expect(await settle()).toMatchObject({ reverted: 0, open: 1, oldestBlock: 10 });
    chain.canonical.set(9, hashOf('C', 9));
    expect(await settle()).toMatchObject({ reverted: 0, open: 1 });
    expect(calls).toEqual(['+A10#0 1']);
  });

  it('is kept as reverted when a node shows another block at delivery', async () => {
    const { deliver, settle, chain, calls } = following();
    chain.isSilentAtDeliveries = false;
    chain.canonical.set(10, hashOf('B'));
    expect(await deliver(logOf('A'))).toMatchObject({ status: 200, outcomes: [{ status: 'dropped' }] });
    expect(statuses(await deliver(logOf('A')))).toEqual(['duplicate']);
    expect(await settle()).toMatchObject({ applied: 0, reverted: 0, open: 1 });
    expect(calls).toEqual([]);
    chain.canonical.set(10, hashOf('A'));
    expect(await settle()).toMatchObject({ applied: 1 });
    expect(calls).toEqual(['+A10#0 1']);
  });

  it('is not given to a handler as a removal notice', async () => {
    const { deliver, settle, chain, calls } = following();
    expect(statuses(await deliver(logOf('A', { removed: true })))).toEqual(['dropped']);
    await deliver(logOf('A'));
    chain.canonical.set(10, hashOf('A'));
    expect(statuses(await deliver(logOf('A', { removed: true })))).toEqual(['dropped']);
    await settle();
    expect(calls).toEqual(['+A10#0 1']);
  });

  it('is reverted with its neighbours from the highest block down, and applied upward, each in order of its logs', async () => {
    const { deliver, settle, chain, calls } = following();
    const places = [10, 11, 12].flatMap((number) => [0, 1].map((logIndex) => ({ number, logIndex })));
    await deliver(...places.map((place) => logOf('A', place)));
    for (const number of [10, 11, 12]) chain.canonical.set(number, hashOf('B', number));
    calls.length = 0;
    await settle();
    expect(calls.map((call) => call.slice(0, 6))).toEqual(['-A12#1', '-A12#0', '-A11#1', '-A11#0', '-A10#1', '-A10#0']);
    for (const number of [10, 11, 12]) chain.canonical.set(number, hashOf('A', number));
    calls.length = 0;
    await settle();
    expect(calls.map((call) => call.slice(0, 6))).toEqual(['+A10#0', '+A10#1', '+A11#0', '+A11#1', '+A12#0', '+A12#1']);
  });

  it('does not hold up others when its handler fails, and is tried again', async () => {
    const { deliver, settle, chain, calls, bad, reported } = following({ failing: ['-A11#0'] });
    await deliver(logOf('A'), logOf('A', { number: 11 }));
    for (const number of [10, 11]) chain.canonical.set(number, hashOf('B', number));
    expect(await settle()).toMatchObject({ reverted: 1, failed: 1, open: 2 });
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
    bad.clear();
    expect(await settle()).toMatchObject({ reverted: 1, failed: 0, open: 2 });
    expect(calls).toEqual(['+A10#0 1', '+A11#0 1', '-A10#0 1', '-A11#0 1']);
  });

  it('of onEvents is reverted by onRevertedEvents, a block at a time', async () => {
    const batches: string[][] = [];
    const note = (entries: readonly { event: { id: string } }[]) => {
      batches.push(entries.map(({ event }) => event.id));
    };
    const { deliver, settle, chain } = following({
      ...{ onEvent: undefined, onReverted: undefined, onEvents: note, onRevertedEvents: note },
    } as never);
    await deliver(logOf('A'), logOf('A', { logIndex: 1 }), logOf('A', { number: 11 }));
    for (const number of [10, 11]) chain.canonical.set(number, hashOf('B', number));
    await settle();
    expect(batches).toEqual([['A10#0', 'A10#1', 'A11#0'], ['A11#0'], ['A10#1', 'A10#0']]);
  });

  it('of two sources has an effect for each', async () => {
    const { receiver, settle, chain, calls } = following();
    for (const source of ['a', 'b']) await receiver.handleEvents([logOf('A')], { source });
    chain.canonical.set(10, hashOf('B'));
    expect(await settle()).toMatchObject({ reverted: 2 });
    expect(calls).toEqual(['+A10#0 1', '+A10#0 1', '-A10#0 1', '-A10#0 1']);
  });
});

describe('a store that keeps logs', () => {
  /** A receiver over a memory store, some of whose methods for logs are others. */
  function over(changes: (logs: LogStore) => Partial<LogStore>) {
    const store = memoryStore();
    const logs = store.logs as LogStore;
    return following({ store: { ...store, logs: { ...logs, ...changes(logs) } } });
  }

  it('whose event cannot be read has it counted as failed, and reported', async () => {
    const { deliver, settle, chain, reported, calls } = over((logs) => ({
      read: async (key) => ({ ...((await logs.read(key)) as KeptLog & OpenLog), letter: '{' }),
    }));
    await deliver(logOf('A'));
    chain.canonical.set(10, hashOf('B'));
    expect(await settle()).toMatchObject({ reverted: 0, failed: 1, open: 1, oldestBlock: 10 });
    expect([calls.length, reported]).toEqual([1, ['ERR_WEBHOOK_STORE']]);
  });

  it('whose log has changed meanwhile is left for the next pass', async () => {
    const { deliver, settle, chain, calls } = over(() => ({ read: async () => undefined }));
    await deliver(logOf('A'));
    chain.canonical.set(10, hashOf('B'));
    expect(await settle()).toMatchObject({ reverted: 0, failed: 0, open: 1 });
    expect(calls).toHaveLength(1);
  });

  it('that fails has the pass rejected, as a receiver that drains has, which waits for the pass', async () => {
    const listing = deferred<never>();
    const { deliver, settle, receiver } = over(() => ({ list: () => listing.promise }));
    await deliver(logOf('A'));
    const pass = settle();
    await new Promise(setImmediate);
    expect(await receiver.drain({ timeoutMs: 10 })).toEqual({ unfinished: 1 });
    listing.reject(new Error('down'));
    await expect(pass).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
    await expect(settle()).rejects.toMatchObject({ code: 'ERR_WEBHOOK_DRAINING' });
  });

  it('lists logs in pages', async () => {
    const { deliver, settle, chain } = following();
    await deliver(...Array.from({ length: 1001 }, (_, logIndex) => logOf('A', { logIndex })));
    chain.canonical.set(10, hashOf('A'));
    chain.finalNumber = 10;
    expect(await settle()).toMatchObject({ final: 1001, open: 0 });
  });

  it('that fails when a letter is retried leaves the letter', async () => {
    const store = memoryStore();
    const down = () => Promise.reject(new Error('down'));
    const logs = { ...(store.logs as LogStore), find: down };
    const { deliver, receiver } = following({
      ...{ store: { ...store, logs }, deadLetters: { afterAttempts: 1, afterSeconds: 0 }, failing: ['+A10#0'] },
    });
    await deliver(logOf('A'));
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 0, failed: 1, skipped: 0 });
    expect((await receiver.deadLetters.list()).letters).toHaveLength(1);
  });
});

describe('reorgs', () => {
  it('handles an event without a log as it would without reorgs', async () => {
    const { receiver, settle, calls } = following();
    const event = sampleTransactionIncluded();
    const result = await receiver.handleEvents([event]);
    expect(statuses(result)).toEqual(['handled']);
    expect(await settle()).toMatchObject({ open: 0 });
    expect(calls).toEqual([`+${event.id} 1`]);
  });

  it('runs one pass at a time over a store', async () => {
    const { deliver, receiver, chain } = following();
    await deliver(logOf('A'));
    chain.canonical.set(10, hashOf('B'));
    const reports = await Promise.all([receiver.settleReorgs(), receiver.settleReorgs()]);
    expect(reports.map(({ reverted }) => reverted)).toEqual([1, 0]);
  });

  it('refuses keys that are not of the log', async () => {
    const { receiver, reported } = following({ idempotencyKey: ({ id }) => id });
    const { status } = await receiver.handleEvents([logOf('A')]);
    expect([status, reported]).toEqual([500, ['ERR_WEBHOOK_CONFIG']]);
  });

  const { reorgs } = scriptedChain();
  const nothing = () => {};
  it.each([
    ['that is not a Reorgs', { reorgs: {} }, /`reorgs` must be a Reorgs, such as .*chainReorgs, got an object/],
    ['without onReverted', { onReverted: undefined }, /onReverted/],
    ['without a store that keeps logs', { store: { ...memoryStore(), logs: undefined } }, /transactional: true/],
    ['with the default store', { store: undefined }, /transactional: true/],
    ['with finality', { finality: { before: nothing } }, /no undo/],
    ['with enqueue', { onEvent: undefined, onReverted: undefined, enqueue: nothing }, /enqueue/],
    ['with onEvents but onReverted', { onEvent: undefined, onEvents: nothing }, /onRevertedEvents/],
  ])('is refused %s', (_, options, message) => {
    const all = { secret, store: memoryStore(), reorgs, onEvent: nothing, onReverted: nothing, ...options };
    expect(() => createReceiver(all as never)).toThrow(message);
  });

  it('is needed by onReverted and by settleReorgs', async () => {
    const options = { secret, onEvent: nothing, onReverted: nothing };
    expect(() => createReceiver(options)).toThrow('`onReverted` needs the option `reorgs`.');
    const receiver = createReceiver({ secret, onEvent: nothing });
    await expect(receiver.settleReorgs()).rejects.toThrow(new ConfigError('`settleReorgs` needs the option `reorgs`.'));
  });
});
