import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EventContext, WebhookError } from '../../../src/index.js';
import { event, noting, signed } from '../../helpers.js';
import { storeDoing } from '../fake-bulk-store.js';

/** Clocks that a test moves, as a frozen process finds them when it goes on: no timer has fired. */
const clocks = { monotonic: 0, wall: 0 };

beforeEach(() => {
  clocks.monotonic = 1000;
  clocks.wall = 1_700_000_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => clocks.monotonic);
  vi.spyOn(Date, 'now').mockImplementation(() => clocks.wall);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The ways in which time goes by without a timer. */
const freezes: [string, (ms: number) => void][] = [
  [
    'a stopped process',
    (ms) => {
      clocks.monotonic += ms;
      clocks.wall += ms;
    },
  ],
  [
    'a machine that slept, with a monotonic clock that stood still',
    (ms) => {
      clocks.wall += ms;
    },
  ],
  [
    'a wall clock that was set back meanwhile',
    (ms) => {
      clocks.monotonic += ms;
      clocks.wall -= 3_600_000;
    },
  ],
];

describe.each(freezes)('after a freeze: %s', (_name, freeze) => {
  it('a handler that looks before its effect has none, and its event is expected again', async () => {
    const effects: string[] = [];
    let isFrozen = true;
    const { receiver } = noting({
      handlerTimeoutMs: 1000,
      async onEvent({ id }, { throwIfExpired }) {
        await Promise.resolve();
        if (isFrozen) freeze(1000);
        throwIfExpired();
        effects.push(id);
      },
    });
    const first = await receiver.handle(signed([event('a')]));
    expect(first).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    expect(effects).toEqual([]);
    isFrozen = false;
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
    expect(effects).toEqual(['a']);
  });
});

describe('a time limit', () => {
  it('is the reason of a failure that a store makes of its error', async () => {
    const { receiver } = noting({
      handlerTimeoutMs: 1000,
      store: storeDoing((run) =>
        run().catch((cause) => Promise.reject(new WebhookError('ERR_WEBHOOK_STORE', 'Rolled back.', { cause }))),
      ),
      onEvent(_event, { throwIfExpired }) {
        clocks.wall += 1000;
        throwIfExpired();
      },
    });
    const { error } = await receiver.handle(signed([event('a')]));
    expect(error?.code).toBe('ERR_WEBHOOK_HANDLER_TIMEOUT');
  });

  it('is not the reason of a failure that came after it was over', async () => {
    const own = new Error('mine');
    const { receiver } = noting({
      handlerTimeoutMs: 1000,
      onEvent(_event, { throwIfExpired }) {
        clocks.wall += 1000;
        expect(throwIfExpired).toThrow(/took longer/);
        throw own;
      },
    });
    const { error } = await receiver.handle(signed([event('a')]));
    expect(error?.code).toBe('ERR_WEBHOOK_HANDLER');
    expect(error?.cause).toBe(own);
  });
});

describe('the time of a handler', () => {
  it('is told as a deadline, at most nine tenths of the lease away', async () => {
    const seen: EventContext[] = [];
    const { once } = storeDoing((run) => run().then(() => 'handled'));
    const start = clocks.wall;
    for (const [handlerTimeoutMs, store] of [
      [2000, { once }],
      [2000, { leaseMs: 1000, once }],
      [120_000, undefined],
    ] as const) {
      const { receiver } = noting({
        handlerTimeoutMs,
        store,
        onEvent: (_event, context) => seen.push(context),
      });
      await receiver.handle(signed([event('a')]));
    }
    expect(seen.map(({ deadline }) => deadline - start)).toEqual([2000, 900, 120_000]);
  });
});
