import { describe, expect, it, vi } from 'vitest';
import {
  type ReconcileOptions,
  type ReconcileSource,
  reconcile,
  type SourceChunk,
  serviceSource,
} from '../../../src/chain/index.js';
import { ConfigError, type WebhookEvent } from '../../../src/index.js';
import { sampleEventEmitted } from '../../../src/testing/index.js';
import { chainId, keptCursor, noting } from './reconciling.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const events = (count: number) =>
  Array.from({ length: count }, (_, at): WebhookEvent => {
    const rawFields = JSON.parse(String(sampleEventEmitted().data.event.rawFields)) as object;
    const text = JSON.stringify({ ...rawFields, logIndex: `0x${at.toString(16)}` });
    return sampleEventEmitted({ id: `own-${at}`, data: { event: { rawFields: text, indexInLog: at } } });
  });
const chunkOf = (some: readonly WebhookEvent[], rest: Partial<SourceChunk> = {}): SourceChunk => ({
  to: 0,
  entries: some.map((event) => ({ position: 0, event })),
  oldestAt: Date.now() + 120_000,
  ...rest,
});

/** A source of one position, written by a user. */
function ownSource(read: () => AsyncIterable<SourceChunk> | Iterable<SourceChunk>, id?: number): ReconcileSource {
  return {
    name: 'own',
    open: async () => ({
      chainId: id,
      end: 0,
      async *read() {
        yield* read();
      },
    }),
  };
}

function start(source: ReconcileSource, options: Partial<ReconcileOptions> = {}) {
  const receiver = options.receiver ?? noting().receiver;
  return reconcile({ source, from: 0, cursor: keptCursor(), retryDelayMs: 1, logger: quiet, ...options, receiver });
}

describe('reconcile with a source of your own', () => {
  it('reads again, and stops in the end, when the source ends early or throws something other than an error', async () => {
    const early = await start(ownSource(() => []));
    expect(early.stopped).toMatchObject({
      reason: 'source',
      error: { message: 'The source `own` ended before position 0.' },
    });
    const odd = await start(
      ownSource(() => {
        throw undefined;
      }),
    );
    expect(odd.stopped).toMatchObject({
      reason: 'source',
      error: { message: 'A value that is not an error was thrown.' },
    });
  });

  it('refuses events of which it does not say when they happened', async () => {
    const { receiver, handled } = noting();
    const undated = ownSource(() => [chunkOf(events(1), { oldestAt: undefined })]);
    await expect(start(undated, { receiver })).rejects.toThrow('Events since an unknown time could take effect twice');
    expect(handled).toEqual([]);
  });

  it('lists at most 1000 of the events that are missing', async () => {
    const report = await start(
      ownSource(() => [chunkOf(events(1001))]),
      { handle: false },
    );
    expect(report.missing).toBe(1001);
    expect(report.entries).toHaveLength(1000);
  });

  it('holds the cursor when more fails than the retry list takes', async () => {
    let isBroken = true;
    const { receiver } = noting({ fails: () => isBroken });
    const cursor = keptCursor();
    const some = events(1001);
    const source = ownSource(() => [chunkOf(some)]);
    const stopped = { reason: 'retry-list-full' };
    expect(await start(source, { receiver, cursor })).toMatchObject({ to: -1, failed: 1001, left: 1000, stopped });
    expect(cursor.state.next).toBe(0);
    isBroken = false;
    expect(await start(source, { receiver, cursor })).toMatchObject({ to: 0, repaired: 1001, left: 0 });
  });

  it('looks until the store fails, and throws what is wrong with the receiver', async () => {
    const look = (error: Error) => {
      const receiver = { ...noting().receiver, peek: () => Promise.reject(error) };
      return start(
        ownSource(() => [chunkOf(events(1))]),
        { handle: false, receiver },
      );
    };
    expect((await look(new Error('away'))).stopped).toMatchObject({ reason: 'busy', error: { message: 'away' } });
    await expect(look(new ConfigError('It cannot.'))).rejects.toThrow('It cannot.');
    const { receiver } = noting({ idempotencyKey: ({ id }) => id });
    await expect(
      start(
        ownSource(() => [chunkOf(events(1))]),
        { receiver },
      ),
    ).rejects.toThrow('{ chainId: n }');
  });

  it('refuses the cursor of another chain', async () => {
    const cursor = keptCursor();
    await start(
      ownSource(() => [chunkOf(events(1))], chainId),
      { cursor },
    );
    for (const [id, says] of [
      [1, 'chain 1'],
      [undefined, 'chain unknown'],
    ] as const)
      await expect(
        start(
          ownSource(() => [], id),
          { cursor },
        ),
      ).rejects.toThrow(`but the source reads the ${says}.`);
  });

  it('names the wrong option', async () => {
    await expect(start({ ...ownSource(() => []), name: '' })).rejects.toThrow('`source.name`');
    expect(() => serviceSource({} as never, 1)).toThrow('`client`');
  });

  it('ends at once when it is aborted while it waits to read again', async () => {
    const closing = new AbortController();
    const failing = ownSource(() => {
      setTimeout(() => closing.abort(), 20);
      throw new Error('away');
    });
    const report = await start(failing, { signal: closing.signal, retryDelayMs: 60_000 });
    expect(report.stopped).toMatchObject({ reason: 'aborted' });
  });
});

it('reconcile stops when its cursor was moved, or fails, and says which', async () => {
  const some = events(2);
  const source = ownSource(() => [chunkOf(some)], chainId);
  const moved = { read: () => undefined, write: () => false };
  expect((await start(source, { cursor: moved })).stopped).toEqual({ reason: 'superseded', error: undefined });
  // A cursor is written once a second while a run goes well.
  let at = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (at += 2000));
  const early = await start(source, { cursor: moved }).finally(() => clock.mockRestore());
  expect(early.stopped).toEqual({ reason: 'superseded', error: undefined });
  const failing = { read: () => undefined, write: () => Promise.reject(new Error('disk full')) };
  const { stopped } = await start(source, { cursor: failing });
  expect(stopped).toMatchObject({ reason: 'cursor', error: { message: 'disk full' } });
});
