import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { memoryStore, NonRetryableError } from '../../src/index.js';
import type { RecordStore } from '../../src/stores/record-store.js';
import { fromBetterSqlite3, sqlStore } from '../../src/stores/sql/index.js';
import { event, noting } from '../helpers.js';
import { delivery, keyOf } from './at-once.js';

async function open(more: object = {}) {
  const store = sqlStore({ db: fromBetterSqlite3(new Database(':memory:')) });
  await store.migrate();
  const onEvent = ({ id }: { id: string }) => {
    if (id === 'bad') throw new NonRetryableError('No such account.');
  };
  return noting({ store, deadLetters: {}, onEvent, ...more }).receiver;
}

/** A receiver whose store has these records. */
const withRecords = (records: RecordStore | undefined, more: object = {}) =>
  noting({ store: { ...memoryStore(), records }, ...more }).receiver;

describe('receiver.status', () => {
  it('returns what became of an event, by event, key and id', async () => {
    const receiver = await open();
    await receiver.handle(delivery('a'));
    const handled = { idempotencyKey: keyOf('a'), state: 'handled', via: 'webhook', eventId: 'a', attempts: 0 };
    for (const which of [event('a'), keyOf('a'), { eventId: 'a' }] as const) {
      const found = await receiver.status(which as never);
      expect(found).toMatchObject([handled]);
      expect(found[0]?.doneAt).toBeGreaterThanOrEqual(Number(found[0]?.claimedAt));
    }
  });

  it('returns why an event is a dead letter', async () => {
    const receiver = await open();
    await receiver.handle(delivery('bad'));
    expect(await receiver.status({ eventId: 'bad' })).toMatchObject([
      { state: 'dead-lettered', attempts: 1, message: 'No such account.' },
    ]);
  });

  it('returns nothing for an event that the store does not know', async () => {
    const receiver = await open();
    for (const which of [keyOf('none'), '', { eventId: 'none' }]) expect(await receiver.status(which)).toEqual([]);
  });

  it('finds an event within its source, and an id in all sources', async () => {
    const receiver = await open({ secret: () => [] });
    for (const source of ['one', 'two']) await receiver.handleEvents([event('a') as never], { source, via: 'import' });
    expect(await receiver.status(event('a') as never, { source: 'one' })).toMatchObject([
      { source: 'one', via: 'import' },
    ]);
    expect(await receiver.status({ eventId: 'a' })).toHaveLength(2);
    await expect(receiver.status(event('a') as never)).rejects.toThrow('Pass the same `source`');
  });

  it('refuses a store without records, or without a look-up by event id', async () => {
    await expect(withRecords(undefined).status('a')).rejects.toThrow('needs a store that keeps records');
    const look = async () => new Map();
    await expect(withRecords({ look }).status({ eventId: 'a' })).rejects.toThrow('by idempotency key only');
    expect(await withRecords({ look }).status('a')).toEqual([]);
    await expect(noting({ store: false }).receiver.status('a')).rejects.toMatchObject({ code: 'ERR_WEBHOOK_CONFIG' });
  });
});
