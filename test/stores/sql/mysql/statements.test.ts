import { describe, expect, it } from 'vitest';
import type { Failed } from '../../../../src/stores/sql/database.js';
import type { Claimed } from '../../../../src/stores/sql/dialect.js';
import { changedSettings, settingsText } from '../../../../src/stores/sql/mysql-session.js';
import { KEYS, server, statementsFor, withErrno } from './fake-server.js';

const BARE: Claimed = { keys: KEYS, owner: '1', id: 'ewr:1' };

/** A claim whose session was, and is now, what is said. */
const claimedWith = (session?: string, lost?: Failed): Claimed => ({
  ...BARE,
  session: () => (session === undefined ? undefined : Promise.resolve(session)),
  isLost: async () => lost,
});

describe('the session of MySQL', () => {
  it('has settings with names of its own in MySQL and MariaDB, besides the role and the database', () => {
    for (const [isMariadb, names] of [
      [false, ['transaction_isolation', 'transaction_read_only', 'max_execution_time']],
      [true, ['tx_isolation', 'tx_read_only', 'max_statement_time']],
    ] as const) {
      for (const name of names) expect(settingsText(isMariadb)).toContain(`IFNULL(@@session.${name}, '')`);
      const count = settingsText(isMariadb).split('IFNULL').length - 1;
      const before = Array.from({ length: count }, () => 'x').join('|');
      const after = Array.from({ length: count + 1 }, () => 'y').join('|');
      const all = changedSettings(isMariadb, before, after);
      expect(all.slice(-6)).toEqual([...names, 'the role', 'the database', 'the database']);
      expect(changedSettings(isMariadb, before, before)).toEqual([]);
    }
  });
});

describe('what MySQL is asked before the first claim', () => {
  it.each([
    ['8.0.36', 'transaction_isolation', 'FOR SHARE SKIP LOCKED'],
    ['10.11.6-MariaDB', 'tx_isolation', 'LOCK IN SHARE MODE SKIP LOCKED'],
  ])('is its isolation level, for statements that must not wait: %s', async (version, variable, suffix) => {
    for (const [level, ends] of [
      ['SERIALIZABLE', suffix],
      ['READ-UNCOMMITTED', suffix],
      ['REPEATABLE-READ', ''],
    ] as const) {
      const { run, texts } = server({
        'VERSION()': { rows: [['0', 'd`b', version, '1']] },
        '@@t': { rows: [[level]] },
      });
      const statements = statementsFor('keys');
      await statements.prepare?.(run);
      await statements.status(run, KEYS);
      expect(texts[1]).toBe(`SELECT @@${variable}`);
      expect(texts[2]?.trim().endsWith(ends || `DIV 1000`)).toBe(true);
      expect(texts[2]).toContain('FROM `d``b`.`keys`');
      expect(statements.cursors()).toBe('`d``b`.`keys_cursors`');
      expect(statements.prepare?.(run)).toBeUndefined();
    }
  });
});

describe('a lease of MySQL', () => {
  it('gives the keys alone whose rows are of the owner then, and leaves other columns of the table alone', async () => {
    const { run, texts } = server({ 'AND owner': { rows: [['b']] } });
    expect(await statementsFor().claim(run, KEYS, 'me')).toEqual(new Map([['b', undefined]]));
    expect(texts[0]).toMatch(/^INSERT INTO `db`\.`keys` \(`key`, owner, done, expires_at\) VALUES \('a', 'me', 0, /);
  });
});

describe('a transaction of MySQL', () => {
  const { transaction } = statementsFor();

  it('is the one that claimed if its savepoint exists', async () => {
    const right = server();
    await transaction.check(right.run, claimedWith('same'));
    expect(right.log).toEqual(['RELEASE SAVEPOINT event_webhook_receiver']);
    const unseen = server();
    await transaction.check(unseen.run, claimedWith());
    await transaction.check(unseen.run, BARE);
    expect(unseen.log).toEqual([]);
  });

  it('is finished if its session is what it was, with rows that are done', async () => {
    const right = server({ CONCAT_WS: { rows: [['same']] } });
    await transaction.finish(right.run, claimedWith('same'));
    expect(right.log).toEqual([
      'RELEASE SAVEPOINT event_webhook_receiver',
      expect.stringMatching(/^SELECT CONCAT_WS/),
      'UPDATE `db`.`keys` SET',
    ]);
    expect(right.texts.at(-1)).toMatch(/SET done = 1, .* WHERE `key` IN \('a', 'b'\) AND owner = '1'$/);
    // The rows of a handler whose statements cannot end a transaction are done.
    const unseen = server();
    await transaction.finish(unseen.run, claimedWith());
    await transaction.finish(unseen.run, BARE);
    expect(unseen.log).toEqual([]);
  });

  it('has open rows once a statement of the handler may end it', async () => {
    let before: (() => unknown) | undefined;
    const { run, texts } = server({ JSON_TABLE: { changed: 2 }, CONCAT_WS: { rows: [['same']] } });
    const watch = {
      beforeOther(work: () => unknown) {
        before = work;
      },
      hasFailed: async () => undefined,
    };
    await transaction.claim(run, KEYS, 'me', watch);
    expect(texts[0]).toMatch(/SELECT j\.k, 'me', 1, TIMESTAMPDIFF/);
    before?.();
    expect(texts[1]).toMatch(
      /SET done = 0, expires_at = 9007199254740991 WHERE `key` IN \('a', 'b'\) AND owner = 'me'$/,
    );
    expect(texts[2]).toBe('SAVEPOINT event_webhook_receiver');
  });

  it('is told by the errors with which a server may have rolled it back', () => {
    for (const code of ['1205', 'ER_LOCK_TABLE_FULL', '40001', 'ER_LOCK_DEADLOCK'])
      expect(transaction.isRollback?.({ cause: { code } })).toBe(true);
    for (const code of ['1062', '1305']) expect(transaction.isRollback?.({ code })).toBe(false);
  });

  it('is refused if it has ended, and its connection is closed where tables may be locked', async () => {
    const lost = server();
    await expect(transaction.check(lost.run, claimedWith('same', 'and continued'))).rejects.toThrow(
      'ended the transaction',
    );
    expect(lost.log).toEqual([]);
    await expect(transaction.check(lost.run, claimedWith('same', 'at last'))).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: expect.stringContaining('The server rolled back the transaction with the last statement'),
    });
    const gone = server({ SAVEPOINT: withErrno(1305) });
    await expect(transaction.check(gone.run, claimedWith('same'))).rejects.toThrow('ended the transaction');
    expect(gone.log).toEqual(['RELEASE SAVEPOINT event_webhook_receiver', 'KILL CONNECTION_ID()']);
    const failed = server({ SAVEPOINT: withErrno(1317) });
    await expect(transaction.check(failed.run, claimedWith('same'))).rejects.toThrow('error 1317');
    expect(failed.log).toHaveLength(1);
  });

  it('is refused with its connection closed if the handler changed the session', async () => {
    const { run, log } = server({ CONCAT_WS: { rows: [['ANSI|1']] } });
    await expect(transaction.finish(run, claimedWith('|1'))).rejects.toThrow(
      'The handler changed sql_mode of its session, which would outlive its transaction, so the transaction was rolled back. Restore settings before the handler returns.',
    );
    expect(log.at(-1)).toBe('KILL CONNECTION_ID()');
  });

  it('commits by its autocommit, and closes a connection on which that failed', async () => {
    const right = server();
    await transaction.end?.(right.run, claimedWith('same'));
    await transaction.end?.(right.run, claimedWith());
    await transaction.end?.(right.run, BARE);
    expect(right.log).toEqual(['SET autocommit =']);
    const failed = server({ autocommit: withErrno(1180) });
    await expect(transaction.end?.(failed.run, claimedWith('same'))).rejects.toThrow('error 1180');
    expect(failed.log).toEqual(['SET autocommit =', 'KILL CONNECTION_ID()']);
  });

  it('restores its session when it is rolled back, and releases its locks last', async () => {
    const seen = server({ CONCAT_WS: { rows: [['same']] } });
    await transaction.undo?.(seen.run, claimedWith('same'));
    expect(seen.log).toEqual([
      'ROLLBACK',
      expect.stringMatching(/^SELECT CONCAT_WS/),
      'SET autocommit =',
      'DO RELEASE_ALL_LOCKS()',
    ]);
    for (const claimed of [claimedWith(), BARE]) {
      const unseen = server();
      await transaction.undo?.(unseen.run, claimed);
      expect(unseen.log).toEqual(['ROLLBACK', 'DO RELEASE_ALL_LOCKS()']);
    }
  });

  it('is found by the lock of its claim, and by nothing that is not a number', async () => {
    const { run, texts } = server({ IS_USED_LOCK: { rows: [['12']] } });
    await transaction.cancel?.(run, claimedWith());
    await transaction.terminate?.(run, claimedWith());
    const lock = "SELECT IS_USED_LOCK('ewr:1')";
    expect(texts).toEqual([lock, 'KILL QUERY 12', lock, 'KILL CONNECTION 12']);
    for (const rows of [[], [[null]], [['x12']], [['12x']]]) {
      const other = server({ IS_USED_LOCK: { rows } });
      await transaction.terminate?.(other.run, claimedWith());
      expect(other.texts).toEqual([lock]);
    }
  });
});
