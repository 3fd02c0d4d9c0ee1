import Database from 'libsql';
import { expect, it } from 'vitest';
import type { LeaseDatabase } from '../../../../src/stores/sql/index.js';
import { sqlStore } from '../../../../src/stores/sql/index.js';
import { failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { onceEach } from '../../calls.js';
import type { Row } from '../client.js';

type Connection = InstanceType<typeof Database>;

function rowsOf(db: Connection, text: string, values: readonly string[] = []): Row[] {
  // D1 refuses values without a parameter; SQLite ignores them.
  const takes = text.split('?').length - 1;
  if (values.length !== takes) throw new Error(`The statement takes ${takes} values: ${text}`);
  const statement = db.prepare(text);
  if (/^SELECT|RETURNING/.test(text)) return statement.all(...values) as Row[];
  statement.run(...values);
  return [];
}

/** SQLite as a server has it that offers no transactions, such as D1. */
const databaseOf = (db: Connection): LeaseDatabase => ({
  dialect: 'sqlite',
  run: async (text, _timeoutMs, values) => ({ rows: rowsOf(db, text, values) }),
});

it('the statements for a LeaseDatabase take at most 5000 keys each', async () => {
  const db = new Database(':memory:');
  const { run } = databaseOf(db);
  const counts: number[] = [];
  const store = sqlStore({
    db: {
      dialect: 'sqlite',
      run(text, timeoutMs, values) {
        const list = values?.find((value) => value.startsWith('['));
        if (list) counts.push(JSON.parse(list).length);
        return run(text, timeoutMs, values);
      },
    },
  });
  await store.migrate();
  const keys = Array.from({ length: 5001 }, unique);
  expect(new Set(await onceEach(store, keys, nothing))).toEqual(new Set(['handled']));
  expect(counts).toEqual([5000, 1, 5000, 1]);
  expect(new Set(await onceEach(store, keys, failing))).toEqual(new Set(['duplicate']));
  await expect(onceEach(store, [unique(), ...keys], failing)).rejects.toThrow('the run failed');
  expect(new Set(await onceEach(store, keys, failing))).toEqual(new Set(['duplicate']));
  db.close();
});
