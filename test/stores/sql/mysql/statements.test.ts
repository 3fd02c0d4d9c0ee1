import { describe, expect, it, vi } from 'vitest';
import type { Claimed } from '../../../../src/stores/sql/dialect.js';
import type { Run } from '../../../../src/stores/sql/index.js';
import { mysqlStatements } from '../../../../src/stores/sql/mysql.js';
import { changedSettings, settingsText } from '../../../../src/stores/sql/mysql-session.js';
import { tableOf } from '../../../../src/stores/sql/table.js';

const KEYS = ['a', 'b'];
const withErrno = (errno: number) => Object.assign(new Error(`error ${errno}`), { errno });

type Answer = { rows?: readonly (readonly unknown[])[]; changed?: number } | Error;

/** A server that answers statements by the first text that they contain, and notes how they begin. */
function server(answers: Readonly<Record<string, Answer | (() => Answer)>> = {}) {
  const log: string[] = [];
  const texts: string[] = [];
  const run: Run = async (text) => {
    texts.push(text);
    log.push(text.trim().split(/\s+/).slice(0, 3).join(' '));
    const found = Object.entries(answers).find(([part]) => text.includes(part))?.[1];
    const answer = typeof found === 'function' ? found() : (found ?? {});
    if (answer instanceof Error) throw answer;
    return { rows: (answer.rows ?? []).map((values) => ({ ...values })), changed: answer.changed };
  };
  return { run, log, texts };
}

const statementsFor = (table = 'db.keys', leaseMs = 2000) =>
  mysqlStatements(tableOf(table, 'mysql'), { leaseMs, retentionMs: 1000 });

/** A claim whose session was, and is now, what is said. */
const claimedWith = (session?: string, isLost = false): Claimed => ({
  keys: KEYS,
  id: 'ewr:1',
  session: () => (session === undefined ? undefined : Promise.resolve(session)),
  isLost: async () => isLost,
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

describe('a transaction of MySQL', () => {
  const { transaction } = statementsFor();

  it('is the one that claimed if its savepoint exists and its session is what it was', async () => {
    const right = server({ CONCAT_WS: { rows: [['same']] } });
    await transaction.check(right.run, claimedWith('same'));
    expect(right.log).toEqual(['RELEASE SAVEPOINT event_webhook_receiver', expect.stringMatching(/^SELECT CONCAT_WS/)]);
    const unseen = server();
    await transaction.check(unseen.run, claimedWith());
    await transaction.check(unseen.run, { keys: KEYS, id: 'ewr:1' });
    expect(unseen.log).toEqual([]);
  });

  it('is refused if it has ended, and its connection is closed where tables may be locked', async () => {
    const lost = server();
    await expect(transaction.check(lost.run, claimedWith('same', true))).rejects.toThrow('ended the transaction');
    expect(lost.log).toEqual([]);
    const gone = server({ SAVEPOINT: withErrno(1305) });
    await expect(transaction.check(gone.run, claimedWith('same'))).rejects.toThrow('ended the transaction');
    expect(gone.log).toEqual(['RELEASE SAVEPOINT event_webhook_receiver', 'KILL CONNECTION_ID()']);
    const failed = server({ SAVEPOINT: withErrno(1317) });
    await expect(transaction.check(failed.run, claimedWith('same'))).rejects.toThrow('error 1317');
    expect(failed.log).toHaveLength(1);
  });

  it('is refused with its connection closed if the handler changed the session', async () => {
    const { run, log } = server({ CONCAT_WS: { rows: [['ANSI|1']] } });
    await expect(transaction.check(run, claimedWith('|1'))).rejects.toThrow(
      'The handler changed sql_mode of its session, which would outlive its transaction, so the transaction was rolled back. Restore settings before the handler returns.',
    );
    expect(log.at(-1)).toBe('KILL CONNECTION_ID()');
  });

  it('commits by its autocommit, and closes a connection on which that failed', async () => {
    const right = server();
    await transaction.end?.(right.run, claimedWith('same'));
    await transaction.end?.(right.run, claimedWith());
    await transaction.end?.(right.run, { keys: KEYS, id: 'ewr:1' });
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
    for (const claimed of [claimedWith(), { keys: KEYS, id: 'ewr:1' }]) {
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

describe('a claim in a transaction of MySQL', () => {
  it('takes one statement if nobody has the keys, then a mark where the client sees no statements', async () => {
    const { run, log } = server({ JSON_TABLE: { changed: 2 }, CONCAT_WS: { rows: [['before']] } });
    const claimed = await statementsFor().transaction.claim(run, KEYS, 'me');
    expect(claimed).toMatchObject({ keys: KEYS, id: 'ewr:me' });
    expect(await claimed.session?.()).toBe('before');
    expect(log).toEqual([
      'INSERT INTO `db`.`keys`',
      'SAVEPOINT event_webhook_receiver',
      'SET autocommit =',
      expect.stringMatching(/^SELECT CONCAT_WS/),
    ]);
  });

  it('asks for all locks once, in the first of several statements, and stops at a key that is held', async () => {
    const keys = Array.from({ length: 2001 }, (_, index) => `k${index}`);
    const { run, texts } = server({ JSON_TABLE: { changed: 1000 } });
    await statementsFor()
      .transaction.claim(run, keys, 'me')
      .catch(() => {});
    const inserts = texts.filter((text) => text.includes('JSON_TABLE'));
    expect(inserts.map((text) => text.includes('RELEASE_ALL_LOCKS'))).toEqual([true, false, false]);
    const held = server({ JSON_TABLE: { changed: 999 }, CONCAT_WS: { rows: [['1', '0']] } });
    await statementsFor().transaction.claim(held.run, keys, 'me');
    expect(held.texts.filter((text) => text.includes('JSON_TABLE'))).toHaveLength(1);
    expect(held.log[1]).toBe('ROLLBACK AND CHAIN');
  });

  it('passes on any error but that of a duplicate', async () => {
    const { run, log } = server({ JSON_TABLE: withErrno(1205) });
    await expect(statementsFor().transaction.claim(run, KEYS, 'me')).rejects.toThrow('error 1205');
    expect(log).toHaveLength(1);
  });

  /** The answers where `a` is a duplicate, `b` is held by another connection, and `c` is free. */
  const mixed = (more: Readonly<Record<string, Answer | (() => Answer)>> = {}) =>
    server({
      JSON_TABLE: withErrno(1062),
      'INSERT IGNORE': { changed: 1 },
      'UNION ALL': {
        rows: [
          ['1700', '101'],
          ['a', '0'],
        ],
      },
      ...more,
    });

  it('inserts the keys alone that have no row and whose locks it got', async () => {
    const { run, texts, log } = mixed({ 'SHOW PROCESSLIST': {} });
    const claimed = await statementsFor().transaction.claim(run, ['a', 'b', 'c'], 'me', {
      beforeOther: () => {},
      hasFailed: async () => false,
    });
    expect(claimed.keys).toEqual(['c']);
    const insert = texts.find((text) => text.startsWith('INSERT IGNORE'));
    expect(insert).toContain("VALUES ('c', 'me', 1, 1700)");
    // Looks for a frozen holder of the one key that has no row.
    expect(log).toEqual([
      'INSERT INTO `db`.`keys`',
      'ROLLBACK AND CHAIN',
      expect.stringMatching(/^SELECT CONVERT/),
      'INSERT IGNORE INTO',
      expect.stringMatching(/^SELECT IS_USED_LOCK/),
      'SHOW PROCESSLIST',
    ]);
    expect(texts.at(-2)?.split('IS_USED_LOCK')).toHaveLength(2);
    expect(texts.at(-2)).toContain("_ascii'b'");
  });

  it('claims nothing, and marks nothing, if all keys are held', async () => {
    const { run, log } = mixed({ 'UNION ALL': { rows: [['1700', '00']] } });
    const claimed = await statementsFor().transaction.claim(run, KEYS, 'me');
    expect([claimed.keys, claimed.session?.()]).toEqual([[], undefined]);
    expect(log.join()).not.toContain('SAVEPOINT');
  });

  it('closes connections that hold a key and have slept for a lease, and looks at most once in that time', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5000);
    const { run, texts } = mixed({
      IS_USED_LOCK: { rows: [['1'], ['2'], ['3']] },
      'SHOW PROCESSLIST': {
        rows: [
          ['1', '', '', '', 'Sleep', '1'],
          ['2', '', '', '', 'Sleep', '0'],
          ['3', '', '', '', 'Query', '9'],
          ['4', '', '', '', 'Sleep', '9'],
        ],
      },
    });
    const { transaction } = statementsFor('db.keys', 700);
    const kills = () => texts.filter((text) => text.startsWith('KILL'));
    const watch = { beforeOther: () => {}, hasFailed: async () => false };
    for (const [now, count] of [
      [5000, 1],
      [5699, 1],
      [5700, 2],
    ] as const) {
      clock.mockReturnValue(now);
      await transaction.claim(run, ['a', 'b', 'c'], 'me', watch);
      expect(kills()).toEqual(Array(count).fill('KILL 1'));
    }
    clock.mockRestore();
  });

  it('is lost if a statement of the handler failed and the server has rolled back', async () => {
    for (const [failed, rows, isLost] of [
      [true, [], true],
      [true, [['a']], false],
      [false, [], false],
    ] as const) {
      const { run } = server({ JSON_TABLE: { changed: 2 }, 'AND owner': { rows } });
      const watch = { beforeOther: () => {}, hasFailed: async () => failed };
      const claimed = await statementsFor().transaction.claim(run, KEYS, 'me', watch);
      expect(await claimed.isLost?.()).toBe(isLost);
    }
  });
});
