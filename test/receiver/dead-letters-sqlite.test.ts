import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { NonRetryableError } from '../../src/index.js';
import { fromBetterSqlite3, type SqlStore, type Synchronous, sqlStore } from '../../src/stores/sql/index.js';
import { noting } from '../helpers.js';
import { delivery, keyOf, statuses } from './at-once.js';

type Tx = Synchronous<Database.Database>;

async function open() {
  const file = new Database(':memory:');
  file.exec('CREATE TABLE effects (id TEXT)');
  const store: SqlStore<Tx> = sqlStore({ db: fromBetterSqlite3(file), transactional: true });
  await store.migrate();
  const effects = () =>
    file
      .prepare('SELECT id FROM effects ORDER BY id')
      .all()
      .map((row) => Object(row).id);
  return { store, effects };
}

describe('dead letters beside effects in one transaction', () => {
  it('let the neighbours of a bad event commit, and keep nothing of it', async () => {
    const { store, effects } = await open();
    const bad = new Set(['c']);
    const { receiver } = noting<Tx>({
      store,
      deadLetters: {},
      onEvents: (entries, { tx }) => {
        for (const { event } of entries) tx.prepare('INSERT INTO effects VALUES (?)').run(event.id);
        if (entries.some(({ event }) => bad.has(event.id))) throw new NonRetryableError('Bad.');
      },
    });
    const result = await receiver.handle(delivery('a', 'b', 'c', 'd'));
    expect([result.status, statuses(result)]).toEqual([200, ['handled', 'handled', 'dead-lettered', 'handled']]);
    expect(effects()).toEqual(['a', 'b', 'd']);
    bad.clear();
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 1, failed: 0, skipped: 0 });
    expect(effects()).toEqual(['a', 'b', 'c', 'd']);
    expect((await receiver.deadLetters.list()).letters).toEqual([]);
  });

  it('are marked where the handler ended its transaction, and are then retried by their keys only', async () => {
    const { store, effects } = await open();
    let ends = true;
    const { receiver } = noting<Tx>({
      store,
      deadLetters: {},
      onEvent: ({ id }, { tx }) => {
        tx.prepare('INSERT INTO effects VALUES (?)').run(id);
        if (ends) tx.exec('COMMIT');
        if (ends) throw new NonRetryableError('After the commit.');
      },
    });
    const result = await receiver.handle(delivery('a'));
    expect([result.status, statuses(result)]).toEqual([200, ['dead-lettered']]);
    expect((await receiver.deadLetters.list()).letters).toMatchObject([
      { isUnknown: true, code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN', attempts: 1 },
    ]);
    ends = false;
    expect(await receiver.deadLetters.retry({})).toEqual({ handled: 0, failed: 0, skipped: 0 });
    expect(effects()).toEqual(['a']);
    expect(await receiver.deadLetters.retry([keyOf('a')])).toEqual({ handled: 1, failed: 0, skipped: 0 });
    expect(effects()).toEqual(['a', 'a']);
  });

  it('are made at once of keys that an earlier run left open before the option was set', async () => {
    const { store } = await open();
    const onEvent = (_: unknown, { tx }: { tx: Tx }) => void tx.exec('COMMIT');
    const without = noting<Tx>({ store, onEvent });
    expect((await without.receiver.handle(delivery('a'))).status).toBe(500);
    expect((await without.receiver.handle(delivery('a'))).status).toBe(500);
    const { receiver } = noting<Tx>({ store, onEvent, deadLetters: {} });
    expect(statuses(await receiver.handle(delivery('a')))).toEqual(['dead-lettered']);
    expect(await receiver.deadLetters.discard([keyOf('a')])).toEqual([keyOf('a')]);
    expect(statuses(await receiver.handle(delivery('a')))).toEqual(['duplicate']);
  });
});
