import { expect, it } from 'vitest';
import type { KeyRecord, StoredRecord } from '../../src/stores/record-store.js';
import { DELIVERY, RETRY, type Step } from '../../src/stores/store.js';
import { failure, type LettersGround, runsOf } from './letters.js';

export interface RecordTraits {
  /** Whether the store keeps source, via, kind, id and time of the delivery, or only what became of it. */
  readonly keepsArrival: boolean;
  readonly finds: boolean;
}

const RECEIVED = Date.UTC(2026, 0, 2, 3, 4, 5);
const FINAL = { afterAttempts: 1 };
let names = 0;

/** What each store with records must do. */
export function describeRecords(
  { keepsArrival, finds }: RecordTraits,
  make: () => Promise<LettersGround> | LettersGround,
): void {
  const newId = () => `id-${process.pid}-${Date.now()}-${names++}`;
  const recordOf = (eventId: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
    source: 'mainnet',
    via: 'webhook',
    kind: 'event.emitted',
    eventId,
    receivedAt: RECEIVED,
    ...more,
  });
  const stepOf = (records: Record<string, KeyRecord>): Step => ({
    ...DELIVERY,
    records: new Map(Object.entries(records)),
  });

  async function ground() {
    const { store, ...more } = await make();
    const { letters, records } = store;
    if (letters === undefined || records === undefined) throw new Error('The store has no records.');
    const look = async (key: string): Promise<StoredRecord | undefined> => (await records.look([key])).get(key);
    const { run, isLeased } = runsOf(store);
    /** A run of one key, with its record. */
    const deliver = (key: string, record: KeyRecord, how: 'done' | 'failed' | 'killed' = 'done') =>
      run([key], { step: stepOf({ [key]: record }), how });
    return { ...more, letters, records, look, run, deliver, isLeased };
  }

  function expectArrival(found: StoredRecord | undefined, record: KeyRecord) {
    if (keepsArrival) expect(found).toMatchObject(record);
  }
  const isNow = (ms: number | undefined) => expect(Math.abs(Number(ms) - Date.now())).toBeLessThan(60_000);

  it('says what arrived, when, and that it was handled', async () => {
    const { look, deliver } = await ground();
    const id = newId();
    const key = `event.emitted:${id}`;
    expect(await deliver(key, recordOf(id))).toEqual(['handled']);
    const found = await look(key);
    expect(found).toMatchObject({ state: 'handled', attempts: 0 });
    expectArrival(found, recordOf(id));
    isNow(found?.doneAt);
    if (keepsArrival) expect(Number(found?.doneAt)).toBeGreaterThanOrEqual(Number(found?.claimedAt));
  });

  it('says nothing about a key that it does not have, or whose run was undone', async () => {
    const { look, deliver } = await ground();
    const [none, failed] = [newId(), newId()];
    expect(await deliver(failed, recordOf(failed), 'failed')).not.toEqual(['duplicate']);
    expect(await look(none)).toBeUndefined();
    expect(await look(failed)).toBeUndefined();
  });

  it('says what failed and why, until it is handled', async () => {
    const { look, deliver, letters } = await ground();
    const key = newId();
    const record = recordOf(key);
    await deliver(key, record, 'failed');
    await letters.fail(key, failure({ ...record, code: 'NO_ACCOUNT', message: 'No such account.' }));
    const found = await look(key);
    expect(found).toMatchObject({ state: 'failed', attempts: 1, code: 'NO_ACCOUNT', message: 'No such account.' });
    expectArrival(found, record);
    isNow(found?.lastFailedAt);
    await deliver(key, record);
    const handled = await look(key);
    expect(handled).toMatchObject({ state: 'handled' });
    expect(handled?.code).toBeUndefined();
    expectArrival(handled, record);
  });

  it('says which events are dead letters, and what became of those', async () => {
    const { look, run, letters } = await ground();
    const [retried, discarded] = [newId(), newId()];
    for (const key of [retried, discarded]) {
      await letters.fail(key, failure({ ...FINAL, ...recordOf(key) }));
      const found = await look(key);
      expect(found).toMatchObject({ state: 'dead-lettered', attempts: 1, code: 'ERR_WEBHOOK_HANDLER' });
      expectArrival(found, recordOf(key));
    }
    // A failed retry has no record of an arrival.
    await letters.fail(retried, failure({ source: 'mainnet' }));
    expectArrival(await look(retried), recordOf(retried));
    expect(await run([retried], { step: RETRY })).toEqual(['handled']);
    expect(await look(retried)).toMatchObject({ state: 'handled' });
    expectArrival(await look(retried), recordOf(retried));
    await letters.discard([discarded]);
    expect((await look(discarded))?.state).toBe(keepsArrival ? 'discarded' : 'handled');
  });

  it('says what is running, and what a killed process left', async () => {
    const { look, deliver, expire, isLeased } = await ground();
    if (!isLeased) return;
    const key = newId();
    await deliver(key, recordOf(key), 'killed');
    expect(await look(key)).toMatchObject({ state: 'in-progress' });
    isNow((await look(key))?.claimedAt);
    await expire();
    const found = await look(key);
    expect(found).toMatchObject({ state: 'abandoned' });
    expectArrival(found, recordOf(key));
  });

  it('says that an outcome is unknown', async () => {
    const { look, leaveOpen } = await ground();
    if (!leaveOpen) return;
    const key = newId();
    await leaveOpen(key);
    expect(await look(key)).toMatchObject({ state: 'unknown' });
  });

  it('keeps a record for each of a hundred keys', async () => {
    const { records, run } = await ground();
    const base = newId();
    const all = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`${base}:${at}`, recordOf(`${base}-${at}`, { via: `way ${at % 3}` })]),
    );
    // A run of DynamoDB takes 50 keys.
    for (const some of [0, 50]) await run(Object.keys(all).slice(some, some + 50), { step: stepOf(all) });
    const found = await records.look(Object.keys(all));
    expect(found.size).toBe(100);
    for (const [key, record] of Object.entries(all)) expectArrival(found.get(key), record);
  });

  it('keeps records without optional fields, and forgets none for a claim without records', async () => {
    const { look, run, deliver, letters } = await ground();
    const key = newId();
    const record = { kind: 'transaction.included', eventId: key };
    await deliver(key, record, 'failed');
    await letters.fail(key, failure(record));
    await run([key], { how: 'failed' });
    const found = await look(key);
    expect(found).toMatchObject({ state: 'failed', attempts: 1 });
    expectArrival(found, record);
    expect([found?.source, found?.via, found?.receivedAt]).toEqual([undefined, undefined, undefined]);
  });

  const hostile = {
    quotes: `it's "no" \\ $1 ? :name {} [] , -- /* é 鍵 \u2028`,
    'NUL and lone surrogates': 'a\u0000b\ud800c',
    'a megabyte': 'x'.repeat(1_000_000),
    'two hundred characters that end in half of one': `${'x'.repeat(199)}😀`,
    null: 'null',
    nothing: '',
  };
  for (const [what, text] of Object.entries(hostile)) {
    it(`takes ${what} as text`, async () => {
      const { look, deliver, records, letters } = await ground();
      const [key, failed] = [newId(), newId()];
      const record = recordOf(text, { source: text, via: text, kind: text, receivedAt: 1e300 });
      expect(await deliver(key, record)).toEqual(['handled']);
      await letters.fail(failed, failure({ ...FINAL, ...record, source: 'mainnet' }));
      for (const each of [key, failed]) {
        const found = await look(each);
        expect(found?.state).toBe(each === key ? 'handled' : 'dead-lettered');
        if (!keepsArrival) continue;
        expect(found?.receivedAt).toBeUndefined();
        for (const kept of [found?.eventId, found?.via, found?.kind]) {
          if (['quotes', 'null', 'nothing'].includes(what)) expect(kept).toBe(text);
          expect(kept).toMatch(/^[^\0\p{Cs}]{0,200}$/u);
        }
      }
      if (finds) expect((await records.find?.(text))?.size).toBeGreaterThanOrEqual(1);
    });
  }

  it('finds the records of an event id, of all sources', async () => {
    const { records, run } = await ground();
    expect(records.find !== undefined).toBe(finds);
    if (!records.find) return;
    const [id, other] = [newId(), newId()];
    const all = {
      [`mainnet::event.emitted:${id}`]: recordOf(id),
      [`sepolia::event.emitted:${id}`]: recordOf(id, { source: 'sepolia' }),
      [`event.emitted:${other}`]: recordOf(other),
    };
    await run(Object.keys(all), { step: stepOf(all) });
    const found = await records.find(id);
    expect([...found.keys()].sort()).toEqual(Object.keys(all).slice(0, 2));
    expect([...found.values()].map(({ source }) => source).sort()).toEqual(['mainnet', 'sepolia']);
    expect(await records.find(`${id}x`)).toEqual(new Map());
  });
}
