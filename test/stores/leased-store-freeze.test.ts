import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReceiver, parseEvent } from '../../src/index.js';
import { type LeaseTable, resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { DELIVERY } from '../../src/stores/store.js';
import { event, secret } from '../helpers.js';
import { fakeTable } from './fake-table.js';

const clock = { monotonic: 0, wall: 0 };
beforeEach(() => {
  Object.assign(clock, { monotonic: 1000, wall: 1_700_000_000_000 });
  vi.spyOn(performance, 'now').mockImplementation(() => clock.monotonic);
  vi.spyOn(Date, 'now').mockImplementation(() => clock.wall);
});
afterEach(() => vi.restoreAllMocks());

/** What each clock does while a process is frozen, or is set. */
const steps: Record<string, (ms: number) => void> = {
  'on both clocks': (ms) => {
    clock.monotonic += ms;
    clock.wall += ms;
  },
  'on the monotonic clock, while the wall clock is set back': (ms) => {
    clock.monotonic += ms;
    clock.wall -= 86_400_000;
  },
  'on the wall clock alone': (ms) => {
    clock.wall += ms;
  },
};

/** Does something after that many turns of the queue of promises. */
async function after(turns: number, act: () => void) {
  for (let turn = 0; turn < turns; turn++) await undefined;
  act();
}

const KEY = 'event.emitted:a';
const leaseMs = 10_000;
const options = resolveLeaseOptions({ leaseMs });
/** Of a handler: 0.9 of the lease. */
const HANDLER_MS = 9000;

/** Freezes the process for `ms` at one of the moments from the call to the run. Says what came of it. */
async function freeze(moment: { before: boolean; turns: number }, pass: () => void) {
  const { rows, right, table } = fakeTable();
  const claim: LeaseTable['claim'] = async (key, owner) => {
    if (moment.before) await after(moment.turns, pass);
    const status = await right.claim(key, owner, DELIVERY);
    if (!moment.before) void after(moment.turns, pass);
    return status;
  };
  const sent = { ...clock };
  let startedAfter: number | undefined;
  const receiver = createReceiver({
    secret,
    toleranceSeconds: false,
    store: storeOfLeases({ ...table, claim }, options),
    onEvent() {
      startedAfter = Math.max(clock.monotonic - sent.monotonic, clock.wall - sent.wall);
    },
  });
  const { outcomes } = await receiver.handleEvents([parseEvent(event('a'))]);
  const result = outcomes[0]?.error?.code ?? outcomes[0]?.status;
  for (let turn = 0; turn < 50; turn++) await undefined;
  return { result, startedAfter, rows };
}

describe('a process that is frozen between a claim and its run', () => {
  for (const [name, step] of Object.entries(steps)) {
    it(`does not start the run once its lease is over ${name}`, async () => {
      let refused = 0;
      for (const before of [true, false]) {
        for (let turns = 0; turns < 25; turns++) {
          for (const ms of [HANDLER_MS + 1, 3_600_000]) {
            const { result, startedAfter, rows } = await freeze({ before, turns }, () => step(ms));
            const at = JSON.stringify({ before, turns, ms, result, startedAfter });
            // It may be frozen after the start: then it has started in time.
            if (startedAfter !== undefined) expect(startedAfter, at).toBeLessThanOrEqual(HANDLER_MS);
            else {
              refused++;
              expect(result, at).toBe('ERR_WEBHOOK_STORE');
              expect(rows.size, at).toBe(0);
            }
          }
        }
      }
      expect(refused).toBeGreaterThan(25 * 2);
    });
  }

  it('starts the run if enough of the lease is left, even if the wall clock was set back', async () => {
    for (const set of [0, -86_400_000]) {
      const { result, startedAfter } = await freeze({ before: true, turns: 3 }, () => {
        clock.monotonic += 1000;
        clock.wall += set;
      });
      expect(result).toBe('handled');
      expect(startedAfter).toBe(1000);
    }
  });

  it('releases only its own claim', async () => {
    const { rows, right, table } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      const claims = await right.claim(keys, owner, DELIVERY);
      clock.monotonic += leaseMs + 1;
      rows.set(KEY, { owner: 'another', done: true });
      return claims;
    };
    const onEvent = vi.fn();
    const receiver = createReceiver({ secret, store: storeOfLeases({ ...table, claim }, options), onEvent });
    expect(await receiver.handleEvents([parseEvent(event('a'))])).toMatchObject({ status: 503 });
    for (let turn = 0; turn < 50; turn++) await undefined;
    expect(rows.get(KEY)).toEqual({ owner: 'another', done: true });
    expect(onEvent).not.toHaveBeenCalled();
  });

  it('does not start a run if a clock is broken', async () => {
    const { result, startedAfter } = await freeze({ before: true, turns: 1 }, () => {
      clock.wall = Number.NaN;
    });
    expect([result, startedAfter]).toEqual(['ERR_WEBHOOK_STORE', undefined]);
  });
});
