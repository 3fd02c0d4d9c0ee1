import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TransactionalStore, WebhookError } from '../../src/index.js';
import { event, noting, signed } from '../helpers.js';
import { type RunAll, storeDoing } from './fake-bulk-store.js';

const conflict = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

// biome-ignore lint/suspicious/noThenProperty: it passes for a promise
const passing = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('late')) };

const delivery = () => signed([event('a')]);

describe('a transactional store after a conflict', () => {
  it.each<[string, (run: RunAll) => Promise<unknown>]>([
    ['failed', (run) => run().catch(() => run())],
    ['succeeded', (run) => run().then(() => run())],
    ['failed twice', (run) => run().catch(() => run().catch(() => run()))],
  ])('may run a handler again that %s', async (how, use) => {
    let failures = how === 'failed twice' ? 2 : how === 'failed' ? 1 : 0;
    const signals = new Set<AbortSignal>();
    const { receiver } = noting({
      store: storeDoing(async (run) => {
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
      store: storeDoing((run) => run().catch(() => run())),
      onEvent: () => Promise.reject(new Error(`failure ${++runs}`)),
    });
    expect(await receiver.handle(delivery())).toMatchObject({
      status: 500,
      error: { code: 'ERR_WEBHOOK_HANDLER', cause: { message: 'failure 2' } },
    });
  });

  it('answers 503 for a conflict that began in the handler, once it gives up', async () => {
    const store = storeDoing((run) =>
      run().catch((cause) => Promise.reject(new WebhookError('ERR_WEBHOOK_STORE', 'Five conflicts.', { cause }))),
    );
    const { receiver } = noting({ store, onEvent: () => Promise.reject(conflict()) });
    expect(await receiver.handle(delivery())).toMatchObject({
      status: 503,
      error: { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('Five conflicts.') },
    });
  });

  it('starts no run with no time left at all', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let runs = 0;
    const { receiver } = noting({
      handlerTimeoutMs: 100,
      store: storeDoing((run) => run().catch(() => pause(40).then(() => run()))),
      async onEvent() {
        runs++;
        await pause(60);
        throw conflict();
      },
    });
    const answering = receiver.handle(delivery());
    await vi.advanceTimersByTimeAsync(100);
    expect(await answering).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE' } });
    expect(runs).toBe(1);
  });

  it('shares one time limit between the runs', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const late: number[] = [];
    let runs = 0;
    const { receiver } = noting({
      handlerTimeoutMs: 100,
      store: storeDoing((run, signal) => {
        signal.onabort = () => late.push(runs);
        return run().catch(() => run());
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
});

describe('a run whose transaction ends when the handler returns', () => {
  /** A store whose transaction must end in the turn in which it calls its run, as that of better-sqlite3. */
  function synchronous() {
    const ends: unknown[] = [];
    const store: TransactionalStore<undefined> = {
      async once(keys, _step, run) {
        try {
          const returned = run(new Map(keys.map((key) => [key, {}])), undefined);
          ends.push(returned);
          if (returned) throw new WebhookError('ERR_WEBHOOK_HANDLER', 'It must be synchronous.');
        } catch (error) {
          ends.push(error);
          throw error;
        }
        return new Map(keys.map((key) => [key, 'handled']));
      },
    };
    return { ends, store };
  }

  it.each(['onEvent', 'onEvents'])('is ended in the same turn: %s', async (form) => {
    const { ends, store } = synchronous();
    const { receiver } = noting({ store, [form]: () => 1 });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
    expect(ends).toEqual([undefined]);
  });

  it.each([new Error('no'), undefined, null, 0])('gets what the handler throws: %s', async (thrown) => {
    const { ends, store } = synchronous();
    const onEvent = () => {
      throw thrown;
    };
    const { receiver } = noting({ store, onEvent });
    const result = await receiver.handle(delivery());
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect(result.error?.cause).toBe(thrown);
    expect(ends).toEqual([thrown]);
  });

  it.each([
    ['succeeds', async () => {}],
    ['fails', () => Promise.reject(new Error('late'))],
    ['passes for a promise', () => passing],
  ])('gets a promise when the handler returns one that %s', async (_, onEvent) => {
    const { ends, store } = synchronous();
    const { receiver } = noting({ store, onEvent });
    expect(await receiver.handle(delivery())).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect(ends[0]).toBeInstanceOf(Promise);
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
  });

  it('is ended in the same turn while the handler is traced', async () => {
    const channel = tracingChannel('event-webhook-receiver:handler');
    const listeners = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} };
    channel.subscribe(listeners);
    onTestFinished(() => channel.unsubscribe(listeners));
    const { ends, store } = synchronous();
    expect((await noting({ store }).receiver.handle(delivery())).status).toBe(200);
    const onEvent = () => {
      throw new Error('no');
    };
    expect((await noting({ store, onEvent }).receiver.handle(delivery())).status).toBe(500);
    expect(ends).toEqual([undefined, new Error('no')]);
  });
});
