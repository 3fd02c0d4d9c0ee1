import { describe, expect, it } from 'vitest';
import * as each from './wrong-stores/each.js';
import * as keys from './wrong-stores/keys.js';
import * as leases from './wrong-stores/leases.js';
import { LeaseStore, TransactionalStore } from './wrong-stores/right-stores.js';
import { failuresOf, type Open } from './wrong-stores/run-contract.js';
import * as runs from './wrong-stores/runs.js';
import * as transactions from './wrong-stores/transactions.js';

// Mistakes that people make when they write a store. The suite must find each of them in the case that is meant for it, by a
// message that says what happens in production.

type Store = new (...args: Parameters<Open>) => ReturnType<Open>;
type Row = readonly [store: Store, title: string, message: RegExp];

const ANY_KEY = 'keys: accepts any key, and confuses no two of them';
const RETENTION = 'keys: remembers a key for its retention, and forgets it afterwards';
const ONCE = 'once: does not run a key again that took effect, on this or another replica';
const RETHROWS = 'once: rethrows the error of a run, and lets the next call try again';
const THROWS = 'once: treats a synchronous throw of a run like a rejection';
const RACE = 'once: runs one of two hundred concurrent calls of a key';
const HELD = 'once: does not run a key that another run has claimed, and keeps keys apart';
const LATE = 'a late handler: keeps its key until it settles, and is recorded when it succeeds';
const TAKE_OVER =
  'leases: lets another call take over the key of a run that hangs when its lease is over, and not before';
const FENCED = 'leases: lets a run that lost its lease neither record nor free a key that another has taken over';
const TAKEN_OVER_EACH = 'leases: records none of several keys for a run from which another has taken them over';
const FROZEN = 'a frozen process: starts no run when its lease is over';
const AWAY = 'an outage: runs nothing while its server is away, and recovers by itself';
const RECORD = 'an outage: records an effect whose record failed at first';
const ALL = 'onceEach: runs once with all keys, in their order';
const FRESH = 'onceEach: runs with those keys alone that have not taken effect';
const FREES = 'onceEach: frees all keys when the run fails';
const OWN_KEYS = 'onceEach: frees no key that it has not claimed when the run fails';
const FREE_KEYS = 'onceEach: runs with the free keys while others are held, and waits for none of them before';
const OVERLAP = 'onceEach: runs no key twice in overlapping deliveries, whatever their order';
const THOUSAND = 'onceEach: takes a thousand keys';
const COMMITS = 'a transaction: commits the effect of a run together with its key';
const NO_EFFECT = 'a transaction: leaves no effect of a run that failed, and frees its key';
const TIMEOUT = 'a transaction: frees the key of a handler that timed out, and never commits it';
const TIMEOUT_EACH = 'a transaction: frees several keys of a handler that timed out, and never commits them';

const LOST = /In production the sender gets a 200 for an event that has not taken effect.*the event is lost/;
const TWICE = /In production .*an event takes effect twice/;
const AGAIN = /In production every redelivery of an event that has taken effect can take effect again/;
const BOTH = /In production two replicas handle the same event at the same time, and it takes effect twice/;
const STUCK = /In production the delivery is answered 503, and the event stays unhandled until the sender gives up/;

const rows: readonly Row[] = [
  [
    keys.CutsKeys,
    ANY_KEY,
    /y' \(10020 characters\) is a new key, but the store takes it for .+x' .+ as character 10020: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [
    keys.CutsPlainKeys,
    ANY_KEY,
    /2' \(137 characters\) is a new key, but the store takes it for .+1' \(137 characters\), which has '1' for '2' as character 137/,
  ],
  [keys.CutsTheLastCharacter, ANY_KEY, /which has '1' for '2' as character 200: .*the event is lost/],
  [keys.CutsTheFirstCharacter, ANY_KEY, /which has '1' for '2' as character 1: .*the event is lost/],
  [
    keys.IgnoresCase,
    ANY_KEY,
    /A' is a new key, but the store takes it for '.+a', which has 'a' for 'A' as character 21: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [
    keys.TrimsKeys,
    ANY_KEY,
    /a ' is a new key, .* which has nothing for ' ' as character 22: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [
    keys.EndsKeysAtNul,
    ANY_KEY,
    /a\\u0000b' is a new key, but the store takes it for .+: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [
    keys.NormalizesKeys,
    ANY_KEY,
    /\u0301' is a new key, but the store takes it for .+: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [
    keys.EncodesKeys,
    ANY_KEY,
    /\\udfff' is a new key, but the store takes it for .+: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [
    keys.RefusesLongKeys,
    ANY_KEY,
    /x' \(10020 characters\) is a new key: .*got the error 'value too long.*the event stays unhandled/,
  ],
  [
    keys.TakesKeysForPatterns,
    ANY_KEY,
    /%' is a new key, but the store takes it for .+: expected 'handled', got 'duplicate'.*the event is lost/,
  ],
  [keys.KeepsKeysInAnObject, ANY_KEY, /'__proto__' is a key like any other: .*the event stays unhandled/],

  [leases.CompletesKeysOfOthers, FENCED, /expected an error, got 'handled'.*takes effect twice, and neither an error/],
  [leases.HidesLostLeases, FENCED, /expected an error, got 'handled'.*takes effect twice, and neither an error/],
  [leases.ReleasesKeysOfOthers, FENCED, BOTH],
  [leases.HoldsKeysForEver, TAKE_OVER, STUCK],
  [leases.CountsInMinutes, TAKE_OVER, /got 'in-progress': the lease lasts longer than leaseMs/],
  [leases.CountsInMinutes, TAKEN_OVER_EACH, /got one with 1 of 2 keys: the lease lasts longer than leaseMs/],
  [leases.CountsByItsOwnClock, TAKE_OVER, STUCK],
  [leases.ExtendsLeases, TAKE_OVER, STUCK],
  [leases.TakesOverAtOnce, HELD, BOTH],
  [
    leases.DropsLateRecords,
    'leases: lets a run be recorded after its lease if nobody has taken over',
    /take effect again/,
  ],
  [leases.IgnoresFreezes, FROZEN, /another replica has taken over in the meantime, and an event takes effect twice/],
  [leases.TrustsTheWallClock, `${FROZEN} by the monotonic clock alone`, TWICE],
  [leases.TrustsTheMonotonicClock, `${FROZEN} by the wall clock alone`, TWICE],
  [
    leases.RefusesClocksSetBack,
    'a frozen process: starts its run if the wall clock is set back in the meantime',
    STUCK,
  ],
  [leases.ExposesSeconds, 'leases: says how long its leases are', /got 5\. In production .*their events fail/],
  [leases.FreesKeysAtTheTimeout, LATE, BOTH],
  [leases.ForgetsLateRuns, LATE, BOTH],

  [
    runs.FailsOpen,
    AWAY,
    /nothing remembers what takes effect during an outage, and every redelivery takes effect again/,
  ],
  [runs.NeverConnectsAgain, AWAY, STUCK],
  [
    runs.QueuesCommands,
    AWAY,
    /once\(\) did not settle within 10 s\. In production the delivery is not answered in time/,
  ],
  [runs.RecordsOnce, RECORD, /an event that has taken effect is answered 503 until the sender gives up/],
  [runs.RunsAgainIfTheRecordFails, RECORD, TWICE],
  [
    runs.KeepsKeysInTheProcess,
    ONCE,
    /A second replica gets an event.*every redelivery of an event .* can take effect again/,
  ],
  [runs.ChecksThenSets, RACE, /expected one effect, got \d+: the claim is not atomic: .*takes effect twice/],
  [
    runs.CallsOutagesInProgress,
    AWAY,
    /expected an error, got 'in-progress'.*and not that the server of the store is away/,
  ],
  [runs.RecordsBeforeTheRun, RETHROWS, LOST],
  [runs.RecordsNothing, ONCE, AGAIN],
  [runs.KeepsKeysOfFailedRuns, RETHROWS, STUCK],
  [runs.SwallowsErrors, RETHROWS, LOST],
  [runs.AnswersHandledAfterAFailure, RETHROWS, LOST],
  [runs.MissesSynchronousThrows, THROWS, STUCK],
  [runs.DoesNotWaitForTheRun, 'once: answers only after the run has settled', LOST],
  [runs.RunsNothing, 'once: runs the first call of a key once and answers handled', LOST],
  [runs.HidesErrors, RETHROWS, /In production logs and metrics do not show why the handler failed/],
  [runs.RetriesRuns, RETHROWS, /In production a handler that failed half way runs again at once/],
  [runs.CallsHeldKeysDuplicates, HELD, /answered 200 while the first run can still fail\. .*the event is lost/],
  [runs.AnswersBooleans, 'once: runs the first call of a key once and answers handled', /got true\. .* answers 503/],
  [runs.RemembersForEver, RETENTION, /In production keys are remembered .* for ever/],
  [runs.RemembersForALease, 'leases: keeps a key that took effect when its lease would have ended', AGAIN],

  [each.AnswersOneWordForAll, FRESH, LOST],
  [each.AnswersInSortedOrder, FRESH, AGAIN],
  [each.RunsWithAllKeys, FRESH, TWICE],
  [each.RunsWithRowNames, ALL, /the receiver cannot tell which events to handle, and answers 503/],
  [each.RunsOncePerKey, ALL, TWICE],
  [each.RecordsTwentyFive, THOUSAND, /an event that has taken effect is answered 503/],
  [each.FreesTheFirstKey, FREES, STUCK],
  [each.FreesRecordedKeys, OWN_KEYS, AGAIN],
  [each.FreesClaimedKeys, OWN_KEYS, BOTH],
  [each.KeepsKeysWhenOneIsHeld, OVERLAP, /two overlapping deliveries wait for each other for ever/],
  [each.WaitsForHeldKeys, FREE_KEYS, /two overlapping deliveries wait for each other for ever/],
  [each.RunsWithoutKeys, ALL, TWICE],
  [each.LeavesHeldKeysOut, FREE_KEYS, /the receiver cannot tell which events have taken effect/],

  [transactions.CommitsAfterTheTimeout, TIMEOUT, /A transaction was committed although.*takes effect twice/],
  [
    transactions.RollsBackWhenTheRunSettles,
    TIMEOUT,
    /the key of an event stays locked for as long as its handler hangs/,
  ],
  [transactions.WritesOutsideTheTransaction, NO_EFFECT, TWICE],
  [transactions.CommitsTheKeyBeforeTheEffect, NO_EFFECT, LOST],
  [transactions.CommitsTheKeyAlone, COMMITS, LOST],
  [transactions.CommitsTheEffectAlone, COMMITS, AGAIN],
  [
    transactions.DoesNotWaitForTheCommit,
    'an outage: commits an effect once if its server goes away before the commit',
    LOST,
  ],
  [transactions.CommitsFailedRuns, NO_EFFECT, TWICE],
  [transactions.LeavesTheTransactionUsable, TIMEOUT, TWICE],
  [transactions.FreesKeysOfLateRuns, TIMEOUT, /and then the first handler succeeded: .*can take effect again/],
  [
    transactions.FreesKeysOfLateRuns,
    TIMEOUT_EACH,
    /and then the first handler succeeded, event 1 of 3, .*can take effect/,
  ],
  [transactions.FreesKeysOfFailedLateRuns, TIMEOUT, /and then the first handler failed: .*can take effect again/],
  [transactions.FreesKeysOfFailedLateRuns, TIMEOUT_EACH, /and then the first handler failed, event 1 of 3, .*can take/],
  [transactions.DeletesKeysOfFailedRuns, OWN_KEYS, AGAIN],
];

const run = (Store: Store) => failuresOf((server, settings) => new Store(server, settings));

/** The titles of the cases that a store failed, or their number in each group if there are many. */
function summaryOf(name: string, titles: readonly string[]): string {
  if (titles.length <= 5) return [name, ...titles].join('\n  ');
  const groups = titles.map((title) => title.split(':')[0] as string);
  const counts = [...new Set(groups)].map((group) => `${group} ${groups.filter((each) => each === group).length}`);
  return `${name}\n  ${counts.join(', ')}`;
}

describe('storeContract', { timeout: 30_000 }, () => {
  it.each([
    ['leases', LeaseStore],
    ['transactions', TransactionalStore],
  ])('passes a store with %s and without a mistake', async (_, Store) => {
    expect(await run(Store)).toEqual(new Map());
  });

  it('is tried with every wrong store of these files', () => {
    const stores = [keys, leases, runs, each, transactions].flatMap((file) => Object.values<Store>(file));
    expect(rows.map(([store]) => store)).toEqual(expect.arrayContaining(stores));
  });

  const found: string[] = [];
  const named = rows.map((row) => [row[0].name, ...row] as const);
  it.each(named)('finds the mistake of %s', async (_, Store, title, message) => {
    const failures = await run(Store);
    expect(failures.get(title)).toMatch(message);
    for (const each of failures.values()) expect(each).toMatch(/: expected .+, got .+\. In production .+\.$/s);
    found.push(summaryOf(Store.name, [...failures.keys()]));
  });

  it('finds in each the cases of failures.txt, and no others', async () => {
    await expect(`${[...new Set(found)].join('\n')}\n`).toMatchFileSnapshot('./wrong-stores/failures.txt');
  });
});
