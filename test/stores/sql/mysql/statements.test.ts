import { describe, expect, it } from 'vitest';
import type { RunStatement } from '../../../../src/stores/sql/index.js';
import { mysqlStatements } from '../../../../src/stores/sql/mysql.js';
import { tableOf } from '../../../../src/stores/sql/table.js';
import { DELIVERY } from '../../../../src/stores/store.js';

// What no MariaDB shows: MySQL 8, and what other releases of ours must find.

const KEYS = ['a', 'b'];
const statementsFor = (table = 'db.keys') =>
  mysqlStatements(tableOf(table, 'mysql'), { leaseMs: 2000, retentionMs: 1000 });

interface Answer {
  readonly rows?: readonly (readonly unknown[])[];
  readonly changed?: number;
}

/** Answers statements by the first text that they contain, and notes them. */
function server(answers: Readonly<Record<string, Answer>>) {
  const texts: string[] = [];
  const run: RunStatement = async (text) => {
    texts.push(text);
    const { rows = [], changed } = Object.entries(answers).find(([part]) => text.includes(part))?.[1] ?? {};
    return { rows: rows.map((values) => ({ ...values })), changed };
  };
  return { run, texts };
}

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
      expect(texts[2]?.trim().endsWith(ends || "AND state <> 'open')")).toBe(true);
      expect(texts[2]).toContain('FROM `d``b`.`keys`');
      expect(statements.cursors()).toBe('`d``b`.`keys_cursors`');
      expect(statements.prepare?.(run)).toBeUndefined();
    }
  });
});

it('a lease of MySQL gives the keys alone whose rows are of the owner then, and leaves other columns of the table alone', async () => {
  const { run, texts } = server({ 'AND owner': { rows: [['b']] } });
  expect(await statementsFor().claim(run, KEYS, 'me', DELIVERY)).toEqual(new Map([['b', {}]]));
  expect(texts[0]).toMatch(
    /^INSERT INTO `db`\.`keys` \(`key`, owner, state, expires_at, claimed_at\) VALUES \('a', 'me', 'lease', /,
  );
});

describe('a transaction of MySQL', () => {
  it('names its locks as every release does, so that two that run at once skip the keys of each other', async () => {
    const { run, texts } = server({ JSON_TABLE: { changed: 2 } });
    await statementsFor().transaction.claim(run, KEYS, 'me', DELIVERY);
    const scope = 'd2b29cc3d9d94d1e9f48a08a485141f587a416f9';
    expect(texts[0]).toContain(`CONCAT('ewr:', LEFT(SHA2(CONCAT(_ascii'${scope} ', j.k), 256), 40))`);
  });

  it('asks for all locks once, in the first of several statements, and stops at a key that is held', async () => {
    const keys = Array.from({ length: 2001 }, (_, index) => `k${index}`);
    const { run, texts } = server({ JSON_TABLE: { changed: 1000 } });
    await statementsFor()
      .transaction.claim(run, keys, 'me', DELIVERY)
      .catch(() => {});
    const inserts = texts.filter((text) => text.includes('JSON_TABLE'));
    expect(inserts.map((text) => text.includes('RELEASE_ALL_LOCKS'))).toEqual([true, false, false]);
    const held = server({ JSON_TABLE: { changed: 999 }, CONCAT_WS: { rows: [['1', '0']] } });
    await statementsFor().transaction.claim(held.run, keys, 'me', DELIVERY);
    expect(held.texts.filter((text) => text.includes('JSON_TABLE'))).toHaveLength(1);
    expect(held.texts[1]).toMatch(/^ROLLBACK AND CHAIN/);
  });

  it('is told by the errors with which a server may have rolled it back', () => {
    for (const code of ['1205', 'ER_LOCK_TABLE_FULL', '40001', 'ER_LOCK_DEADLOCK'])
      expect(statementsFor().transaction.isRollback?.({ cause: { code } })).toBe(true);
    for (const code of ['1062', '1305']) expect(statementsFor().transaction.isRollback?.({ code })).toBe(false);
  });
});
