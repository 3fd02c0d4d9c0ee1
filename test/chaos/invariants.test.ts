import { describe, expect, it } from 'vitest';
import { checkEffects } from './invariants.js';
import type { Effect } from './ledger.js';
import { byProcess, Log, type Outage } from './log.js';
import { type Mode, modes } from './modes.js';

/** A whole effect: the key asked for 20 ms before, and the lease looked at just before. */
const run = (at: number, pid = 1): Effect[] =>
  [1, 2].map((part) => ({ id: 'a', part, pid, at, checked: at - 1, claimed: at - 20, via: 'delivery' }));
const half = ({ part }: Effect) => part === 1;
const twice = [...run(1000, 1), ...run(3000, 2)].filter(half);
const outage = (kind: Outage['kind'], from: number, to = from, pid: number | undefined = 1): Outage => {
  return { kind, victim: 'receiver 0', pid, from, to };
};

function check(ids: string[], effects: Effect[], mode: Mode, more: Partial<Log> = {}) {
  const log = { ...new Log(), ...more };
  return { counts: checkEffects(ids, effects, mode, log), what: log.broken.map(({ what }) => what) };
}
const ofLeases = (effects: Effect[], more: Partial<Log> = {}) => check(['a'], effects, modes.redis, more);
const unexplained = ['took effect twice with no cause'];

describe('what the chaos test counts', () => {
  it('finds an event without effect, and an effect without event', () => {
    expect(check(['b'], run(1000), modes['postgres-transactional']).what).toEqual([
      'never took effect',
      'took effect, and was never sent',
    ]);
  });

  it('finds a half effect and a double one where both are ruled out', () => {
    const { what, counts } = check(['a'], run(1000).slice(1), modes['postgres-transactional']);
    expect(counts.missing).toBe(1);
    expect(what).toEqual(['never took effect', 'took effect in part']);
    const outages = [outage('pause', 1500, 2900)];
    expect(check(['a'], [...run(1000), ...run(2000)], modes['postgres-transactional'], { outages }).what).toEqual([
      'took effect twice',
    ]);
  });

  for (const kind of ['kill', 'pause', 'cut', 'half-open', 'session'] as const) {
    it(`allows a double effect after a ${kind} of the first process, when its lease was over`, () => {
      expect(ofLeases(twice, { outages: [outage(kind, 1500)] })).toMatchObject({
        counts: { doubles: 1, causes: { [kind]: 1 } },
        what: [],
      });
      expect(ofLeases(twice, { outages: [outage(kind, 1500, 1500, 2)] }).what).toEqual(unexplained);
      expect(ofLeases(twice, { outages: [outage(kind, 3500)] }).what).toEqual(unexplained);
      const soon = [...run(1000, 1), ...run(2000, 2)].filter(half);
      expect(ofLeases(soon, { outages: [outage(kind, 1500)] }).what).toEqual(unexplained);
    });
  }

  it('allows a double effect after the death of a server, whose last answer may have been lost', () => {
    const server = (from: number, to: number) => ({
      outages: [{ kind: 'kill', victim: 'postgres', from, to } as const],
    });
    expect(ofLeases(twice, server(500, 1200)).what).toEqual([]);
    expect(ofLeases(twice, server(500, 800)).what).toEqual(unexplained);
  });

  it('allows a double effect after a clock step only where leases are counted on that clock', () => {
    const outages = [outage('clock', 1500)];
    expect(check(['a'], twice, modes.sqlite, { outages }).counts.causes).toEqual({ 'clock step': 1 });
    expect(ofLeases(twice, { outages }).what).toEqual(unexplained);
    // The lease of the second, which claimed first, ended by the step.
    const crossed = [...run(1000, 1), ...run(1100, 2).map((effect) => ({ ...effect, claimed: 900 }))].filter(half);
    const early = { outages: [outage('clock', 890, 930, 3)] };
    expect(check(['a'], crossed, modes.sqlite, early).what).toEqual([]);
    expect(check(['a'], crossed, modes.redis, early).what).toEqual(unexplained);
    expect(check(['a'], crossed, modes.sqlite, { outages: [outage('clock', 790, 830, 3)] }).what).toEqual(unexplained);
  });

  it('allows and counts a double effect if the first process reported to be late for it, and no other process', () => {
    const lateAs = (pid: number) => ofLeases(twice, { late: new Set([byProcess('a', pid)]) });
    expect(lateAs(1)).toMatchObject({ counts: { causes: { 'too late for the lease': 1 } }, what: [] });
    expect(lateAs(2).what).toEqual(unexplained);
  });

  it('allows no effect after the store had recorded the event, unless its process was frozen before the effect', () => {
    const recorded = new Map([['a', 1400]]);
    const again = 'took effect again after the store had recorded it';
    expect(ofLeases(twice, { outages: [outage('pause', 1500)], recorded }).what).toEqual([again]);
    const frozen = { outages: [outage('pause', 2999.5, 3000, 2)], recorded };
    expect(ofLeases(twice, frozen)).toMatchObject({
      counts: { causes: { 'frozen between check and effect': 1 } },
      what: [],
    });
    expect(ofLeases(twice, { outages: [outage('pause', 1500)], recorded: new Map([['a', 3100]]) }).what).toEqual([]);
  });

  it('allows no handler that begins on a lease that is over, by either clock, and no check that lets it go on', () => {
    const began = ['began when its lease was over'];
    const start = { id: 'a', claimed: 1000, asked: 1001, turn: 1009, at: 1010, wallMs: 10 };
    const started = (change: Partial<typeof start>, more: Partial<Log> = {}) =>
      ofLeases(run(1000).filter(half), { starts: [{ ...start, ...change }], ...more }).what;
    expect(started({})).toEqual([]);
    expect(started({ turn: 2500, at: 2501, wallMs: 1501 })).toEqual(began);
    expect(started({ wallMs: 60_000 })).toEqual(began);
    expect(started({ at: 2501, wallMs: 1501 }, {})).toEqual([]);
    expect(started({ wallMs: 60_000 }, { outages: [outage('clock', 1009, 1010)] })).toEqual([]);
    expect(started({ asked: 2500, turn: 2510, at: 2511, wallMs: 1511 })).toEqual([]);
    const late = run(3000)
      .filter(half)
      .map((effect) => ({ ...effect, claimed: 1000 }));
    expect(ofLeases(late).what).toEqual(['was let through by throwIfExpired when its lease was over']);
  });
});
