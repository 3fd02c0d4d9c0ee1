import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createReceiver, type IdempotencyStore } from '../../src/index.js';
import type { RunOptions } from '../../src/stores/store.js';
import { event, noting, seconds, secret, signed } from '../helpers.js';

type Run = (tx: undefined, options?: RunOptions) => Promise<void>;
const conflict = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

/** A transactional store that does with its run what a test says. */
const transactional = (once: (key: string, run: Run) => unknown) =>
  ({ transactional: true, once }) as object as IdempotencyStore;

// biome-ignore lint/suspicious/noThenProperty: it passes for a promise
const passing = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('late')) };

const delivery = () => signed([event('a')]);

describe('a transactional store after a conflict', () => {
  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['failed', (run) => run(undefined).catch(() => run(undefined))],
    ['succeeded', (run) => run(undefined).then(() => run(undefined))],
    ['failed twice', (run) => run(undefined).catch(() => run(undefined).catch(() => run(undefined)))],
  ])('may run a handler again that %s', async (how, use) => {
    let failures = how === 'failed twice' ? 2 : how === 'failed' ? 1 : 0;
    const signals = new Set<AbortSignal>();
    const { receiver } = noting({
      store: transactional(async (_key, run) => {
        await use(run);
        return 'handled';
      }),
      async onEvent(_, { signal }) {
        signals.add(signal);
        if (failures-- > 0) throw conflict();
      },
    });
    expect(await receiver.handle(delivery())).toMatchObject({ status: 200, outcomes: [{ status: 'handled' }] });
    expect(signals.size).toBe(1);
  });

  it('fails with the error of the last run', async () => {
    let runs = 0;
    const { receiver } = noting({
      store: transactional((_key, run) => run(undefined).catch(() => run(undefined))),
      onEvent: () => Promise.reject(new Error(`failure ${++runs}`)),
    });
    expect(await receiver.handle(delivery())).toMatchObject({
      status: 500,
      error: { code: 'ERR_WEBHOOK_HANDLER', cause: { message: 'failure 2' } },
    });
  });

  it('must not say handled of a run that failed', async () => {
    const store = transactional(async (_key, run) => {
      await run(undefined).catch(() => {});
      return 'handled';
    });
    const { receiver } = noting({ store, onEvent: () => Promise.reject(conflict()) });
    expect(await receiver.handle(delivery())).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE' } });
  });

  it('may find that another run has the key, or that it took effect', async () => {
    for (const word of ['duplicate', 'in-progress']) {
      const { receiver } = noting({
        store: transactional(async (_key, run) => {
          await run(undefined).catch(() => {});
          return word;
        }),
        onEvent: () => Promise.reject(conflict()),
      });
      expect((await receiver.handle(delivery())).outcomes).toMatchObject([{ status: word }]);
    }
  });

  it('starts no run with no time left at all', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let runs = 0;
    const { receiver } = noting({
      handlerTimeoutMs: 100,
      store: transactional((_key, run) => run(undefined).catch(() => pause(40).then(() => run(undefined)))),
      async onEvent() {
        runs++;
        await pause(60);
        throw conflict();
      },
    });
    const answering = receiver.handle(delivery());
    await vi.advanceTimersByTimeAsync(100);
    expect(await answering).toMatchObject({ error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    expect(runs).toBe(1);
  });

  it('shares one time limit between the runs', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const late: number[] = [];
    let runs = 0;
    const { receiver } = noting({
      handlerTimeoutMs: 100,
      store: transactional((_key, run) => {
        const onTimeout = () => late.push(runs);
        return run(undefined, { onTimeout }).catch(() => run(undefined, { onTimeout }));
      }),
      async onEvent() {
        runs++;
        await new Promise((resolve) => setTimeout(resolve, 60));
        throw conflict();
      },
    });
    const answering = receiver.handle(delivery());
    await vi.advanceTimersByTimeAsync(99);
    expect([runs, late]).toEqual([2, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answering).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    expect(late).toEqual([2]);
  });

  it('starts no run of a lease that is too short for the rest of the time', async () => {
    let runs = 0;
    const { receiver } = noting({
      store: transactional((_key, run) =>
        run(undefined, { remainingMs: () => 60_000 }).catch(() => run(undefined, { remainingMs: () => 10 })),
      ),
      async onEvent() {
        runs++;
        throw conflict();
      },
    });
    expect(await receiver.handle(delivery())).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE' } });
    expect(runs).toBe(1);
  });
});

describe('a run whose transaction ends when the handler returns', () => {
  /** A store whose transaction must end in the turn in which it calls its run. */
  function synchronous(commit: () => void = () => {}) {
    const ends: unknown[][] = [];
    const store = transactional((_key, run) => {
      const before = ends.length;
      const onReturn = (...args: [error?: Error]) => {
        ends.push(args);
        if (args.length === 0) commit();
      };
      const running = run(undefined, { onReturn });
      if (ends.length === before) throw new Error('The turn is over.');
      return running.then(() => 'handled');
    });
    return { ends, store };
  }

  it('is ended in the same turn, without an error', async () => {
    const { ends, store } = synchronous();
    const { receiver, handled } = noting({ store });
    expect((await receiver.handle(delivery())).status).toBe(200);
    expect(ends).toEqual([[]]);
    expect(handled).toEqual(['a']);
  });

  it.each([new Error('no'), undefined, null, 0])('gets an error when the handler throws %s', async (thrown) => {
    const { ends, store } = synchronous();
    const onEvent = () => {
      throw thrown;
    };
    const { receiver } = noting({ store, onEvent });
    const result = await receiver.handle(delivery());
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect(result.error?.cause).toBe(thrown);
    expect(ends).toEqual([[expect.objectContaining({ code: 'ERR_WEBHOOK_HANDLER' })]]);
  });

  it.each([
    ['succeeds', async () => {}],
    ['fails', () => Promise.reject(new Error('late'))],
    ['passes for a promise', () => passing],
  ])('gets an error when the handler returns a promise that %s', async (_, onEvent) => {
    const { ends, store } = synchronous();
    const { receiver } = noting({ store, onEvent });
    const result = await receiver.handle(delivery());
    expect(result).toMatchObject({
      status: 500,
      error: { cause: { name: 'TypeError', message: expect.stringContaining('must be synchronous') } },
    });
    expect(ends).toEqual([[expect.objectContaining({ code: 'ERR_WEBHOOK_HANDLER' })]]);
  });

  it('is never ended twice, and gets all events of onEvents', async () => {
    const { ends, store } = synchronous();
    const seen: string[] = [];
    const receiver = createReceiver({
      secret,
      now: () => seconds * 1000,
      store: {
        ...store,
        onceEach: (keys, run) =>
          store.once('', (tx, options) => run(keys, tx, options)).then((word) => keys.map(() => word)),
      },
      onEvents: (entries) => {
        for (const entry of entries) seen.push(entry.event.id);
      },
    });
    expect((await receiver.handle(signed([event('a'), event('b')]))).status).toBe(200);
    expect(seen).toEqual(['a', 'b']);
    expect(ends).toEqual([[]]);
  });
});
