import { storeContract } from 'event-webhooks/store-contract';
import { describe, expect, it } from 'vitest';
import { fromD1, sqlStore } from '../../../../src/stores/sql/index.js';
import { describeLetters, failure } from '../../../contracts/letters.js';
import { describeRecords } from '../../../contracts/records.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { once, onceEach } from '../../calls.js';
import { describeCursors } from '../suites/cursor.js';
import { endLeases } from '../suites/letters.js';
import { hasWorkerd, needsWorkerd, useWorkers } from './workers.js';

describe.skipIf(!hasWorkerd)(`sqlStore over D1, in workerd${needsWorkerd}`, () => {
  const workers = useWorkers();
  // Only the titles: each case runs in a request of the Worker.
  storeContract(() => Promise.reject(new Error('Runs in the Worker.')), {
    test: (title, _, timeoutMs) => it(title, { timeout: timeoutMs ?? 0 }, () => workers.runCase(title).then(() => {})),
    outage: { begin() {}, end() {} },
  });
});

describe.skipIf(!hasWorkerd)(`sqlStore over D1, in Node${needsWorkerd}`, () => {
  const workers = useWorkers();
  const open = async (settings: object = {}) => sqlStore({ db: fromD1(workers.database()), ...settings });

  it('migrates, shares keys with other processes, and sweeps those that are over', async () => {
    const [store, other] = [await open({ retentionMs: 300 }), await open()];
    await Promise.all([store.migrate(), other.migrate()]);
    const [key, kept] = [unique(), unique()];
    expect(await onceEach(store, [key, `"'${key}`], nothing)).toEqual(['handled', 'handled']);
    expect(await once(other, key, failing)).toBe('duplicate');
    expect(await once(other, kept, nothing)).toBe('handled');
    await expect(once(other, unique(), failing)).rejects.toThrow('the run failed');
    await eventually(async () => expect(await other.sweep()).toBe(2));
    expect(await once(other, key, nothing)).toBe('handled');
    expect(await once(store, kept, failing)).toBe('duplicate');
  });

  describeCursors('fromD1', open, 2);

  describe('dead letters of fromD1', () => {
    const make = async () => ({
      store: await open(),
      expire: () => endLeases((text) => workers.query(text), 'sqlite'),
    });
    describeLetters(make);
    describe('records', () => describeRecords({ keepsArrival: true, finds: true }, make));

    it('hold up to 1.9 MB', async () => {
      const { letters } = await open();
      const [key, letter] = [unique(), 'x'.repeat(1_900_000)];
      await letters?.fail(key, failure({ letter, afterAttempts: 1 }));
      expect((await letters?.look([key]))?.get(key)?.letter === letter).toBe(true);
    });
  });
});
