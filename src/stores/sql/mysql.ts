import { sha256Hex } from '#runtime';
import { storeError } from '../bounded-calls.js';
import { type Run, valuesOf } from './database.js';
import { type Durations, keysOf, type Statements, type Status } from './dialect.js';
import {
  IS_OVER,
  isolationVariable,
  later,
  type MysqlTable,
  ownedBy,
  unlessLocked,
  upsert,
  type Written,
} from './mysql-table.js';
import { mysqlTransaction } from './mysql-transaction.js';
import { chunksOf, literal, literals, type Table } from './table.js';

/** For MySQL 8 and MariaDB 10.6 or later. Uses the server's clock. */
export function mysqlStatements(named: Table, durations: Durations): Statements {
  const table: MysqlTable = {
    quoted: named.quoted,
    cursors: named.cursors,
    scope: scopeOf(named.name),
    isMariadb: false,
    skipsLocked: false,
  };
  const leased = later(durations.leaseMs);
  const retained = later(durations.retentionMs);
  let isPrepared = false;

  /** Writes rows, and resolves to those that the owner has then. */
  async function take(
    run: Run,
    keys: readonly string[],
    written: Written & { readonly state: 'lease' | 'done' },
    condition: string,
  ) {
    const taken: string[] = [];
    for (const chunk of chunksOf(keys)) {
      await run(upsert(table, chunk, written, condition));
      taken.push(...keysOf(await run(ownedBy(table, chunk, written.owner, written.state))));
    }
    return taken;
  }

  async function prepare(run: Run): Promise<void> {
    const { rows } = await run('SELECT DATABASE() IS NULL, DATABASE(), VERSION(), @@autocommit');
    const [hasNone, database, version, autocommit] = valuesOf(rows[0] as object) as [string, string, string, string];
    if (autocommit !== '1') throw storeError(NO_AUTOCOMMIT);
    if (named.schema === undefined) {
      if (hasNone === '1') throw storeError(NO_DATABASE);
      const inDatabase = `\`${database.replaceAll('`', '``')}\`.`;
      table.quoted = inDatabase + named.quoted;
      table.cursors = inDatabase + named.cursors;
      table.scope = scopeOf(`${database}.${named.name}`);
    }
    table.isMariadb = /mariadb/i.test(version);
    const [level] = keysOf(await run(`SELECT @@${isolationVariable(table)}`));
    const isSerializable = (durations.isolationLevel ?? level)?.toUpperCase() === 'SERIALIZABLE';
    table.skipsLocked = isSerializable || level === 'READ-UNCOMMITTED';
    isPrepared = true;
  }

  return {
    table: named.name,
    cursors: () => table.cursors,
    prepare: (run) => (isPrepared ? undefined : prepare(run)),
    async migrate(run) {
      for (const statement of mysqlDdl(named)) await run(statement);
    },
    async sweep(run, rows) {
      const expired = keysOf(await run(`SELECT \`key\` FROM ${table.quoted} WHERE ${IS_OVER} LIMIT ${rows}`));
      for (const chunk of chunksOf(expired)) {
        await run(`DELETE FROM ${table.quoted} WHERE \`key\` IN (${literals(chunk)}) AND ${IS_OVER}`);
      }
      return expired.length;
    },
    async status(run, keys) {
      const found = new Map<string, Status>();
      for (const chunk of chunksOf(keys)) {
        const { rows } = await run(
          `SELECT \`key\`, CASE state WHEN 'done' THEN 'duplicate' WHEN 'open' THEN 'unknown' ELSE 'in-progress' END FROM ${table.quoted}
           WHERE \`key\` IN (${literals(chunk)}) AND NOT (${IS_OVER}) ${unlessLocked(table)}`,
        );
        for (const [key, word] of rows.map(valuesOf) as [string, Status][]) found.set(key, word);
      }
      return found;
    },
    async claim(run, keys, owner) {
      const claimed = await take(run, keys, { owner, state: 'lease', expires: leased }, IS_OVER);
      return new Map(claimed.map((key) => [key, undefined]));
    },
    async complete(run, keys, owner) {
      const condition = `owner = ${literal(owner)} OR (${IS_OVER})`;
      return new Set(await take(run, keys, { owner, state: 'done', expires: retained }, condition));
    },
    async release(run, keys, owner) {
      for (const chunk of chunksOf(keys)) {
        await run(
          `DELETE FROM ${table.quoted} WHERE \`key\` IN (${literals(chunk)}) AND owner = ${literal(owner)} AND state = 'lease'`,
        );
      }
    },
    transaction: mysqlTransaction(table, durations),
  };
}

/** In ASCII, so that it is the same text in the character set of each connection. */
function scopeOf(name: string): string {
  return sha256Hex(name).slice(0, 40);
}

/** The statements that create the tables. */
export function mysqlDdl({ quoted, index, cursors }: Table): string[] {
  const ascii = (length: number) => `VARCHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`;
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (\`key\` ${ascii(200)} PRIMARY KEY, owner ${ascii(64)} NOT NULL, state ${ascii(8)} NOT NULL, expires_at BIGINT NOT NULL, KEY ${index} (expires_at)) ENGINE=InnoDB`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (name ${ascii(200)} PRIMARY KEY, value MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL, writers ${ascii(740)} NOT NULL) ENGINE=InnoDB`,
  ];
}

const NO_AUTOCOMMIT =
  'The connections of the pool have `autocommit` off, so the store’s own statements would not be committed. Turn it on.';
const NO_DATABASE =
  'The connections of the pool have no database. Name one for the pool, or pass `table: "schema.table"`.';
