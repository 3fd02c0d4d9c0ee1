// What Kysely says of statements in a transaction of the store, for the tests of the store.
import { type Generated, Kysely, MysqlDialect, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { createPool } from 'mysql2';
import { fromKysely, fromMysql2, fromPostgresJs, type SqlDatabase, sqlStore } from '../../../src/stores/sql/index.js';
import { once } from '../../../test/stores/calls.js';
import { openPostgresJs } from '../../../test/stores/sql/clients/postgres-js.js';

interface Database {
  counted: { id: Generated<number>; name: string };
}

/** Two rows written, both changed, one of them deleted. */
async function results(kysely: Kysely<Database>, client: SqlDatabase<never>, id: string) {
  const store = sqlStore({ db: fromKysely(kysely, client), transactional: true });
  await store.migrate();
  await client.run(`CREATE TABLE counted (id ${id} PRIMARY KEY, name varchar(20) NOT NULL)`);
  let found: unknown;
  await once(store, 'counted', async (tx) => {
    const inserted = await tx
      .insertInto('counted')
      .values([{ name: 'a' }, { name: 'b' }])
      .executeTakeFirst();
    const updated = await tx.updateTable('counted').set({ name: 'c' }).executeTakeFirst();
    const deleted = await tx.deleteFrom('counted').where('id', '=', 1).executeTakeFirst();
    const rows = await tx.selectFrom('counted').selectAll().execute();
    found = {
      inserted: inserted.numInsertedOrUpdatedRows,
      insertId: inserted.insertId,
      updated: updated.numUpdatedRows,
      deleted: deleted.numDeletedRows,
      rows,
    };
  });
  return found;
}

export async function resultsOverMysql2(url: string): Promise<unknown> {
  const pool = createPool(url);
  const kysely = new Kysely<Database>({ dialect: new MysqlDialect({ pool }) });
  const found = await results(kysely, fromMysql2(pool.promise()) as SqlDatabase<never>, 'serial');
  await kysely.destroy();
  return found;
}

export async function resultsOverPostgresJs(url: string): Promise<unknown> {
  const sql = openPostgresJs(url);
  const kysely = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({}) as never,
      createIntrospector: () => ({}) as never,
    },
  });
  const found = await results(kysely, fromPostgresJs(sql) as SqlDatabase<never>, 'serial');
  await sql.end();
  return found;
}
