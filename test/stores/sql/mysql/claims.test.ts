import { describe, expect, it, vi } from 'vitest';
import { type Answer, KEYS, server, statementsFor, withErrno } from './fake-server.js';

describe('a claim in a transaction of MySQL', () => {
  it('takes one statement if nobody has the keys, then a mark where the client sees no statements', async () => {
    const { run, texts, log } = server({ JSON_TABLE: { changed: 2 }, CONCAT_WS: { rows: [['before']] } });
    const claimed = await statementsFor().transaction.claim(run, KEYS, 'me');
    expect(claimed).toMatchObject({ keys: KEYS, owner: 'me', id: 'ewr:me' });
    expect(texts[0]).toContain("SELECT j.k, 'me', 0, 9007199254740991");
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
      hasFailed: async () => undefined,
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

  it('names its locks as every release does, so that two that run at once skip the keys of each other', async () => {
    const { run, texts } = mixed();
    await statementsFor().transaction.claim(run, KEYS, 'me');
    const scope = 'd2b29cc3d9d94d1e9f48a08a485141f587a416f9';
    expect(texts[0]).toContain(`CONCAT('ewr:', LEFT(SHA2(CONCAT(_ascii'${scope} ', j.k), 256), 40))`);
  });

  it('asks no more once it has all keys, in a serializable transaction too', async () => {
    const { run, texts, log } = mixed({
      'VERSION()': { rows: [['0', 'db', '8.0.36', '1']] },
      '@@t': { rows: [['SERIALIZABLE']] },
      'AS name': { rows: [['1700', '11']] },
      'INSERT IGNORE': { changed: 2 },
    });
    const statements = statementsFor();
    await statements.prepare?.(run);
    const watch = { beforeOther: () => {}, hasFailed: async () => undefined };
    expect((await statements.transaction.claim(run, KEYS, 'me', watch)).keys).toEqual(KEYS);
    expect(log.at(-1)).toBe('INSERT IGNORE INTO');
    expect(texts.join()).not.toContain('UNION ALL');
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
    const watch = { beforeOther: () => {}, hasFailed: async () => undefined };
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

  it('closes a connection that has slept for exactly a lease', async () => {
    const { run, texts } = mixed({
      IS_USED_LOCK: { rows: [['1'], ['2']] },
      'SHOW PROCESSLIST': {
        rows: [
          ['1', '', '', '', 'Sleep', '2'],
          ['2', '', '', '', 'Sleep', '1'],
        ],
      },
    });
    await statementsFor('db.keys', 2000).transaction.claim(run, KEYS, 'me');
    expect(texts.filter((text) => text.startsWith('KILL'))).toEqual(['KILL 1']);
  });

  it('is lost if a statement of the handler failed and the server has rolled back', async () => {
    for (const [failed, rows, lost] of [
      ['at last', [], 'at last'],
      ['and continued', [], 'and continued'],
      ['at last', [['a']], undefined],
      [undefined, [], undefined],
    ] as const) {
      const { run, texts } = server({ JSON_TABLE: { changed: 2 }, 'AND owner': { rows } });
      const watch = { beforeOther: () => {}, hasFailed: async () => failed };
      const claimed = await statementsFor().transaction.claim(run, KEYS, 'me', watch);
      expect(await claimed.isLost?.()).toBe(lost);
      // One key says it for all.
      if (failed) expect(texts.at(-1)).toContain("IN ('a') AND owner = 'me'");
    }
  });
});
