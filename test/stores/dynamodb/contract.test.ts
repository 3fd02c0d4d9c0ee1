import { describe } from 'vitest';
import { describeLetters, type LettersGround } from '../../contracts/letters.js';
import { describeRecords } from '../../contracts/records.js';
import { describeStore, type StoreTarget } from '../../contracts/store.js';
import { type ClientName, hasDynamoDB, needsDynamoDB, type Opened, type Tx, useMemory } from './server.js';

let passedMs = 0;

/** Lets time pass on the clock of this process, by which the store counts leases. */
function passTime(ms: number): void {
  if (passedMs === 0) {
    const now = Date.now;
    Date.now = () => now() + passedMs;
  }
  passedMs += ms;
}

type Open = ReturnType<typeof useMemory>['open'];

/** The contract of stores, with one mode of a client. */
function describeMode(name: ClientName, mode: 'lease' | 'transactional', open: Open): void {
  let opened: Opened;
  const target: StoreTarget = {
    async open(settings) {
      opened = open(name);
      // A client connects with its first requests, which takes longer than the short leases of some cases.
      await Promise.all([opened.count('first'), opened.count('second')]);
      const skew = mode === 'lease' ? { clockSkewMs: 0 } : {};
      // DynamoDB Local takes longer for a thousand keys than a claim may take with the defaults.
      return opened[mode]({ leaseMs: 300_000, timeoutMs: 20_000, ...skew, ...settings });
    },
    passTime,
    effects: { write: (tx: Tx, id) => tx.write(opened.add(id)), count: (id) => opened.count(id) },
  };
  const traits = { shared: true, leases: mode === 'lease' } as const;
  describeStore(`dynamodbStore on ${name}, ${mode}`, traits, target);
  const make = async (): Promise<LettersGround> => {
    const store = (await target.open({})) as LettersGround['store'];
    return { store, expire: async () => passTime(300_001) };
  };
  describe(`dead letters of dynamodbStore on ${name}, ${mode}`, () => describeLetters(make));
  describe(`records of dynamodbStore on ${name}, ${mode}`, () =>
    describeRecords({ keepsArrival: true, finds: false }, make));
}

describe.skipIf(!hasDynamoDB)(`DynamoDB Local${needsDynamoDB}`, () => {
  const { open } = useMemory();
  // writes.test.ts tests the transactions of both clients.
  describeMode('DynamoDBDocument', 'lease', open);
  describeMode('DynamoDB', 'transactional', open);
});
