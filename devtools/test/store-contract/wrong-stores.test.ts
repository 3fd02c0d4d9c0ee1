import { describe, expect, it } from 'vitest';
import * as each from './wrong-stores/each.js';
import * as keys from './wrong-stores/keys.js';
import * as leases from './wrong-stores/leases.js';
import * as records from './wrong-stores/records.js';
import { RightLeaseStore, RightTransactionalStore } from './wrong-stores/right-stores.js';
import { casesOf, failuresOf, type Open } from './wrong-stores/run-contract.js';
import * as runs from './wrong-stores/runs.js';
import * as transactions from './wrong-stores/transactions.js';

// Mistakes that people make when they write a store. The suite must find each of them in the case that is meant for it.

type Store = new (...args: Parameters<Open>) => ReturnType<Open>;

const stores: Record<string, Store> = { ...keys, ...leases, ...records, ...runs, ...each, ...transactions };

const LOST = /In production the sender gets a 200 for an event that has not taken effect.*the event is lost/;
const TWICE = /In production .*takes effect twice/;
const AGAIN = /can take effect again/;
const STUCK = /In production the delivery is answered 503, and the event stays unhandled until the sender gives up/;
const WAITS = /two overlapping deliveries wait for each other forever/;
const WRONG_KEYS =
  'CutsKeys CutsPlainKeys CutsTheLastCharacter CutsTheFirstCharacter IgnoresCase TrimsKeys EndsKeysAtNul NormalizesKeys EncodesKeys TakesKeysForPatterns';

/** The titles of cases, what they say happens in production, and the stores that must fail them. */
const CASES: readonly (readonly [title: string, meaning: RegExp, stores: string])[] = [
  ['keys: accepts any key, and confuses no two of them', STUCK, `${WRONG_KEYS} RefusesLongKeys KeepsKeysInAnObject`],
  ['keys: remembers a key for its retention, and forgets it afterwards', /kept longer .* forever/, 'RemembersForEver'],
  ['leases: keeps a key that took effect when its lease would have ended', AGAIN, 'RemembersForALease'],
  [
    'leases: lets a run that lost its lease neither record nor free a key that another has taken over',
    TWICE,
    'RecordsKeysOfOthers ReleasesKeysOfOthers',
  ],
  [
    'leases: lets another call take over the key of a run that hangs when its lease is over, and not before',
    STUCK,
    'CountsInMinutes ExtendsLeases',
  ],
  [
    'leases: records none of several keys for a run from which another has taken them over',
    /the lease lasts longer than leaseMs/,
    'CountsInMinutes',
  ],
  [
    'leases: records none of several keys for a run from which another has taken them over',
    /take effect again|takes effect twice/,
    'DropsLateRecords RecordsKeysOfOthers',
  ],
  ['leases: frees none of several keys that another run has taken over', TWICE, 'ReleasesKeysOfOthers'],
  ['leases: lets a run be recorded after its lease if nobody has taken over', AGAIN, 'DropsLateRecords'],
  ['leases: says how long its leases are', /their events fail/, 'ExposesSeconds'],
  ['an outage: runs nothing while its server is away, and recovers', /takes effect again/, 'FailsOpen'],
  ['an outage: runs nothing while its server is away, and recovers', STUCK, 'NeverConnectsAgain'],
  ['an outage: runs nothing while its server is away, and recovers', LOST, 'CallsOutagesDuplicates'],
  [
    'an outage: runs nothing while its server is away, and recovers',
    /no answer within 10 s|and not that the server of the store is away/,
    'QueuesCommands CallsOutagesInProgress',
  ],
  ['an outage: keeps the keys that took effect before', AGAIN, 'KeepsKeysInACache'],
  [
    'an outage: records an effect whose record failed at first',
    /answered 503 until the sender gives up/,
    'RecordsOnce',
  ],
  [
    'one key: does not run a key again that took effect, on this or another replica',
    AGAIN,
    'KeepsKeysInTheProcess RecordsNothing CallsAllHandled',
  ],
  ['one key: runs one of two hundred concurrent calls of a key', /the claim is not atomic: .*twice/, 'ChecksThenSets'],
  [
    'one key: rethrows the error of a run, and lets the next call try again',
    LOST,
    'RecordsWithTheClaim CommitsTheKeyBeforeTheRun AnswersHandledAfterAFailure',
  ],
  [
    'one key: rethrows the error of a run, and lets the next call try again',
    STUCK,
    'KeepsKeysOfFailedRuns FreesTheFirstKey MissesSynchronousThrows',
  ],
  [
    'one key: rethrows the error of a run, and lets the next call try again',
    /do not show why the handler failed/,
    'HidesErrors',
  ],
  ['one key: answers only after the run has settled', LOST, 'DoesNotWaitForTheRun'],
  ['one key: answers only after the run has settled', LOST, 'RunsNothing'],
  ['one key: answers only after the run has settled', /got true\. .* answers 503/, 'AnswersBooleans'],
  [
    'one key: does not run a key that another run has claimed, and keeps keys apart',
    /takes effect twice|the event is lost/,
    'TakesOverAtOnce CallsHeldKeysDuplicates',
  ],
  ['several keys: runs only with the keys that have not taken effect', LOST, 'AnswersOneWordForAll'],
  [
    'several keys: runs only with the keys that have not taken effect',
    /cannot tell which events to handle|takes effect twice/,
    'RunsInSortedOrder RunsWithAllKeys',
  ],
  ['several keys: runs only with the keys that have not taken effect', STUCK, 'AnswersInSortedOrder'],
  [
    'several keys: runs once with all keys, in their order',
    /takes effect twice|cannot tell which events to handle|the event is lost/,
    'RunsWithRowNames RunsOncePerKey RunsWithoutKeys',
  ],
  ['several keys: takes a thousand keys', /answered 503/, 'RecordsTwentyFive'],
  [
    'several keys: frees no key that it has not claimed when the run fails',
    /can take effect again|takes effect twice/,
    'DeletesKeysOfFailedRuns',
  ],
  ['several keys: runs no key twice in overlapping deliveries, whatever their order', WAITS, 'KeepsKeysWhenOneIsHeld'],
  [
    'several keys: runs with the free keys while others are held, and waits for none of them before',
    /wait for each other forever|as an error of the store and answers 503/,
    'KeepsKeysWhenOneIsHeld LeavesHeldKeysOut',
  ],
  ['a transaction: commits the effects of a run together with its keys', LOST, 'CommitsTheKeyAlone'],
  ['a transaction: commits the effects of a run together with its keys', AGAIN, 'CommitsTheEffectAlone'],
  ['a transaction: leaves no effect of a run that failed, and frees its keys', LOST, 'CommitsTheKeyBeforeTheRun'],
  ['a transaction: leaves no effect of a run that failed, and frees its keys', TWICE, 'WritesOutsideTheTransaction'],
  [
    'a transaction: frees the keys of a handler that timed out, and never commits them',
    /takes effect twice|stays locked|can take effect again|stays unhandled until/,
    'CommitsAfterTheTimeout RollsBackWhenTheRunSettles KeepsTheTransactionOpen WritesOutsideTheTransaction FreesKeysOfLateRuns FreesKeysOfFailedLateRuns',
  ],
  ['a transaction: keeps an effect that was committed before its time was up', AGAIN, 'UndoesCommits'],
  ['an outage: commits an effect once if its server goes away before the commit', LOST, 'DoesNotWaitForTheCommit'],
];

const run = (Store: Store, titles?: readonly string[]) =>
  failuresOf((server, settings) => new Store(server, settings), titles);
const casesFor = (name: string) => CASES.filter(([, , names]) => names.split(' ').includes(name));

describe('storeContract', { timeout: 30_000 }, () => {
  it.each([
    ['leases', RightLeaseStore],
    ['transactions', RightTransactionalStore],
  ])('passes a store with %s and without a mistake', async (_, Store) => {
    expect(await run(Store)).toEqual(new Map());
  });

  it('has a wrong store for each of its cases', () => {
    const titles = [RightLeaseStore, RightTransactionalStore].flatMap((Right) =>
      casesOf((server, settings) => new Right(server, settings)).map(({ title }) => title),
    );
    expect(new Set(CASES.map(([title]) => title))).toEqual(new Set(titles));
  });

  it.each(Object.entries(stores))('finds the mistake of %s', async (name, Store) => {
    const cases = casesFor(name);
    expect(cases).not.toEqual([]);
    const failures = await run(
      Store,
      cases.map(([title]) => title),
    );
    for (const [title, meaning] of cases) {
      expect(failures.get(title)).toMatch(meaning);
      expect(failures.get(title)).toMatch(/: expected .+, got .+\. In production .+\.$/s);
    }
  });
});
