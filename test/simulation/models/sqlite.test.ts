import { describe, expect, it } from 'vitest';
import { fromBetterSqlite3, sqlDdl, sqlStore } from '../../../src/stores/sql/index.js';
import { SqliteFile } from './sqlite.js';

const EFFECTS = 'CREATE TABLE effects (id TEXT)';
const file = new SqliteFile([...sqlDdl({ dialect: 'sqlite' }), EFFECTS], ['webhook_idempotency_keys', 'effects']);
const effects = () => file.rows('SELECT id FROM effects');

describe('the SQLite file of a world', () => {
  it('rolls back what a process had not committed when it died', () => {
    file.empty();
    const [dying, other] = [file.connect(), file.connect()];
    dying.exec('BEGIN IMMEDIATE');
    dying.exec("INSERT INTO effects VALUES ('lost')");
    expect(dying.inTransaction).toBe(true);
    expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
    file.kill(dying);
    expect(effects()).toEqual([]);
    other.exec('BEGIN IMMEDIATE');
    other.exec("INSERT INTO effects VALUES ('kept')");
    other.exec('COMMIT');
    expect(effects()).toEqual([{ id: 'kept' }]);
  });

  it('refuses what a dead process still calls, and serves its next life', () => {
    file.empty();
    const first = file.connect();
    const statement = first.prepare('INSERT INTO effects VALUES (?)');
    file.kill(first);
    for (const act of [
      () => first.exec('COMMIT'),
      () => first.prepare('SELECT 1'),
      () => statement.all('late'),
      () => first.inTransaction,
    ]) {
      expect(act).toThrow('has died');
    }
    expect(first.open).toBe(false);
    file.connect().prepare('INSERT INTO effects VALUES (?)').all('next');
    expect(effects()).toEqual([{ id: 'next' }]);
  });

  it('keeps no lock of a statement that was refused', () => {
    file.empty();
    const [writer, refused] = [file.connect(), file.connect()];
    writer.exec('BEGIN IMMEDIATE');
    expect(() => refused.prepare("INSERT INTO effects VALUES ('refused')").all()).toThrow('database is locked');
    file.kill(refused);
    writer.exec('COMMIT');
    file.connect().exec("INSERT INTO effects VALUES ('next')");
    expect(effects()).toEqual([{ id: 'next' }]);
  });

  it('delays the commit of a writer while somebody reads', () => {
    file.empty();
    const [writer, reader] = [file.connect(), file.connect()];
    reader.exec('BEGIN; SELECT count(*) FROM effects');
    writer.exec('BEGIN IMMEDIATE');
    writer.exec("INSERT INTO effects VALUES ('a')");
    expect(() => writer.exec('COMMIT')).toThrow('database is locked');
    reader.exec('COMMIT');
    writer.exec('COMMIT');
    expect(effects()).toHaveLength(1);
  });

  it('is empty for the next schedule, whatever was left open', async () => {
    const db = file.connect();
    const store = sqlStore({ db: fromBetterSqlite3(db) });
    await store.once('key', async () => {});
    db.exec('BEGIN IMMEDIATE');
    file.empty();
    expect(db.open).toBe(false);
    expect(file.rows('SELECT key FROM webhook_idempotency_keys')).toEqual([]);
    expect(await sqlStore({ db: fromBetterSqlite3(file.connect()) }).once('key', async () => {})).toBe('handled');
  });
});
