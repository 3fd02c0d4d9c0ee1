import { describe, expect, it } from 'vitest';
import type { Effect } from '../ledger.js';
import { byProcess, Log } from '../log.js';
import { modes } from '../modes.js';
import { makePlan } from '../plan.js';
import { checkChain } from './invariants.js';
import { allHappenings } from './logs.js';

const { chain } = makePlan(modes.finality, { seed: 7, events: 60, spreadMs: 2000, kills: 0, faults: 0, misuses: 0 });
if (chain === undefined) throw new Error('The plan has no chain.');
const { all, finalSince } = allHappenings(chain.history);
/** The node comes to step n at n seconds. */
const steppedAt = chain.history.steps.map((_, index) => 1000 * index);
const [id = '', since = 0] = [...finalSince][0] ?? [];
const { number } = all.get(id)?.mined ?? { number: 0 };
const orphan = [...all.keys()].find((each) => !finalSince.has(each)) ?? '';
const replacedAt =
  1000 * chain.history.steps.findIndex(({ final }) => final >= (all.get(orphan)?.mined.number ?? Number.NaN));

function effect(more: Partial<Effect> = {}): Effect {
  return { id, part: 1, pid: 1, at: 1000 * since, checked: 0, claimed: 0, via: 'delivery', ...more };
}

function check(effects: Effect[], more: Partial<Log> = {}, mode: keyof typeof modes = 'finality') {
  const log = { ...new Log(), ...more };
  if (chain) checkChain(chain, steppedAt, effects, modes[mode], log);
  return log.broken;
}
const broken = (what: string, ...ids: string[]) => [{ what, ids }];

describe('what the chaos test expects of events of a chain', () => {
  it('lets an event be handled at the moment when its block is final, and not before', () => {
    expect(check([effect()])).toEqual([]);
    expect(check([effect({ at: 1000 * since - 0.1 })])).toEqual(broken('was handled before its block was final', id));
  });

  it('sees a handler that began and left no effect', () => {
    const start = { id, claimed: 0, asked: 0, turn: 0, at: 1000 * since - 1, wallMs: 0 };
    expect(check([], { starts: [start] })).toEqual(broken('was handled before its block was final', id));
  });

  it('finds an event that is not of the chain, and a removal of what never took effect', () => {
    expect(check([effect({ id: orphan, at: 1e9 })])).toEqual(
      broken('was handled, and its block is not of the chain', orphan),
    );
    expect(check([effect({ id: `${orphan}-r`, at: 1e9 })])).toEqual(
      broken('was handled as removed, and had never taken effect', `${orphan}-r`),
    );
  });

  it('lets an event be dropped when another block is final in the place of its block', () => {
    expect(check([], { dropped: [{ id: orphan, at: replacedAt }] })).toEqual([]);
    expect(check([], { dropped: [{ id: orphan, at: replacedAt - 1 }] })).toEqual(
      broken('was dropped before another block was final in its place', orphan),
    );
    expect(check([], { dropped: [{ id, at: 1e9 }] })).toEqual(broken('was dropped, and its block is final', id));
  });

  it('lets a cursor pass what has taken effect or is on the retry list', () => {
    const below = [...finalSince.keys()].filter((each) => (all.get(each)?.mined.number ?? 0) <= number);
    const move = { from: 0, next: number + 1, retry: [], settled: below };
    expect(check([], { cursors: [move, { ...move, settled: below.slice(1), retry: below.slice(0, 1) }] })).toEqual([]);
    expect(check([], { cursors: [{ ...move, next: number, settled: [] }] })).toEqual([]);
    expect(check([], { cursors: [{ ...move, from: number + 1, settled: [] }] })).toEqual([]);
    expect(check([], { cursors: [{ ...move, settled: below.slice(1) }] })).toEqual(
      broken(`the cursor passed to block ${number + 1} before it had taken effect`, ...below.slice(0, 1)),
    );
  });

  it('compares what reconcile reports with what its receiver answered, and with what took effect', () => {
    const report = { to: 1, repaired: 1, stored: 0, left: 0, answered: { handled: 1, stored: 0 } };
    expect(check([], { reconciled: [report] })).toEqual([]);
    expect(check([], { reconciled: [{ ...report, repaired: 2 }] })).toMatchObject([{ ids: [] }]);

    const made = effect({ via: 'reconcile' });
    const told = { madeGood: new Set([byProcess(id, 1)]) };
    expect(check([made], told)).toEqual([]);
    expect(check([], told)).toEqual(broken('was reported as repaired, and did not take effect', byProcess(id, 1)));
    const unreported = broken('took effect as repaired, and was not reported', id);
    expect(check([made])).toEqual(unreported);
    const kill = { kind: 'kill', victim: 'worker 0', pid: 1, from: made.at + 100, to: made.at + 100 } as const;
    expect(check([made], { outages: [kill] })).toEqual([]);
    expect(check([made], { outages: [{ ...kill, pid: 2 }] })).toEqual(unreported);
    const later = { ...kill, from: made.at + 60_000, to: made.at + 60_000 };
    expect(check([made], { outages: [later] })).toEqual([]);
    expect(check([made], { outages: [later], told: [{ pid: 1, at: made.at + 50 }] })).toEqual(unreported);
    expect(check([made], { outages: [{ ...kill, kind: 'node', pid: undefined } as never] })).toEqual(unreported);
  });
});
