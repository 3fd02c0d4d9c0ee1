import { sha256Hex } from '#runtime';
import { storeError } from '../bounded-calls.js';
import type { Claimed } from '../store.js';
import { type RunStatement, valuesOf } from './database.js';
import { claimsOf, type Durations, keysOf, type Statements, type Syntax, type WrittenRow } from './dialect.js';
import {
  earlier,
  hasWritten,
  IS_IDLE,
  IS_OVER,
  isolationVariable,
  later,
  lockOf,
  type MysqlTable,
  NOW,
  ownedText,
  REFUSE,
  text,
  unlessLocked,
  upsert,
  type Written,
} from './mysql-table.js';
import { mysqlTransaction } from './mysql-transaction.js';
import { amongLiterals, literalsOf, rowStatements } from './syntax.js';
import { chunksOf, literal, literals, type Table, textOf } from './table.js';

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
  const syntax = syntaxOf(table);
  let isPrepared = false;

  /** Writes rows, and resolves to those that the owner then has. */
  async function take(
    run: RunStatement,
    keys: readonly string[],
    { owner, state }: Pick<Written, 'owner' | 'state'>,
    write: (chunk: readonly string[]) => string,
  ) {
    const taken = new Map<string, Claimed>();
    for (const chunk of chunksOf(keys)) {
      await run(write(chunk));
      for (const [key, claim] of claimsOf(await run(ownedText(table, chunk, owner, state)))) taken.set(key, claim);
    }
    return taken;
  }

  /** Claims dead letters for the length of a lease. */
  const leaseDead = (keys: readonly string[], owner: string) =>
    `UPDATE ${table.quoted} SET abandoned = retry_until IS NOT NULL, owner = ${literal(owner)}, retry_until = ${leased}, claimed_at = ${NOW}
     WHERE \`key\` IN (${literals(keys)}) AND ${IS_IDLE}`;

  async function prepare(run: RunStatement): Promise<void> {
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
    ...rowStatements(syntax),
    table: named.name,
    cursors: () => table.cursors,
    prepare: (run) => (isPrepared ? undefined : prepare(run)),
    async migrate(run) {
      for (const statement of mysqlDdl(named)) await run(statement);
    },
    async sweep(run, rows) {
      const isForgotten = `${IS_OVER} AND (last_failed_at IS NULL OR last_failed_at <= ${earlier(durations.retentionMs)})`;
      const expired = keysOf(await run(`SELECT \`key\` FROM ${table.quoted} WHERE ${isForgotten} LIMIT ${rows}`));
      for (const chunk of chunksOf(expired)) {
        await run(`DELETE FROM ${table.quoted} WHERE \`key\` IN (${literals(chunk)}) AND ${isForgotten}`);
      }
      return expired.length;
    },
    async claim(run, keys, owner, { from, records }) {
      if (from === 'dead') return take(run, keys, { owner, state: 'dead' }, (chunk) => leaseDead(chunk, owner));
      const lease = { owner, state: 'lease', expires: leased, claimed: NOW, records } as const;
      return take(run, keys, lease, (chunk) => upsert(table, chunk, lease, IS_OVER));
    },
    async complete(run, keys, owner) {
      const record = { owner, state: 'done', expires: retained } as const;
      const isOurs = `owner = ${literal(owner)} OR (${IS_OVER}) OR (${IS_IDLE})`;
      return new Set((await take(run, keys, record, (chunk) => upsert(table, chunk, record, isOurs))).keys());
    },
    transaction: mysqlTransaction(table, syntax, durations),
  };
}

function syntaxOf(table: MysqlTable): Syntax {
  return {
    rows: () => table.quoted,
    prefix: '',
    key: '`key`',
    mostKeys: 1000,
    among: amongLiterals('`key`'),
    texts: literalsOf(text),
    // In hex, because the character set of the connection may differ.
    select: (column) => `HEX(${column})`,
    read: textOf,
    now: () => NOW,
    later,
    at: String,
    ms: (value) => value,
    isOver: () => IS_OVER,
    isIdle: () => IS_IDLE,
    isUnlocked: (key) => `IS_FREE_LOCK(${lockOf(table, key === undefined ? '`key`' : `_ascii${literal(key)}`)})`,
    write: (run, row) => write(run, table, row),
    end: () => unlessLocked(table),
  };
}

/** Writes a row, unless it has changed. The first assignment sees the old row. */
function write(
  run: RunStatement,
  { quoted }: MysqlTable,
  { key, columns: { attempts, ...others }, isAsRead = 'FALSE' }: WrittenRow,
): Promise<boolean> {
  const names = Object.keys(others);
  return hasWritten(
    run(
      `INSERT INTO ${quoted} (\`key\`, attempts, ${names.join(', ')})
       VALUES (${literal(key)}, ${attempts}, ${Object.values(others).join(', ')})
       ON DUPLICATE KEY UPDATE attempts = IF(${isAsRead}, VALUES(attempts), ${REFUSE}),
         ${names.map((name) => `${name} = VALUES(${name})`).join(', ')}`,
    ),
  );
}

/** In ASCII, so that the text is the same in the character set of each connection. */
function scopeOf(name: string): string {
  return sha256Hex(name).slice(0, 40);
}

export function mysqlDdl({ quoted, index, cursors }: Table): string[] {
  const ascii = (length: number) => `VARCHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`;
  const utf8 = (type: string) => `${type} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (\`key\` ${ascii(200)} PRIMARY KEY, owner ${ascii(64)} NOT NULL, state ${ascii(8)} NOT NULL, expires_at BIGINT NOT NULL, attempts INT NOT NULL DEFAULT 0, first_failed_at BIGINT, last_failed_at BIGINT, source ${utf8('TEXT')}, error_code ${utf8('TEXT')}, error_message ${utf8('TEXT')}, letter ${utf8('MEDIUMTEXT')}, abandoned BOOLEAN NOT NULL DEFAULT FALSE, retry_until BIGINT, via ${utf8('VARCHAR(200)')}, kind ${utf8('VARCHAR(200)')}, event_id ${utf8('VARCHAR(200)')}, received_at BIGINT, claimed_at BIGINT, done_at BIGINT, chain ${ascii(64)}, block_number BIGINT, block_hash ${ascii(66)}, transitions INT NOT NULL DEFAULT 0, KEY ${index} (expires_at)) ENGINE=InnoDB`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (name ${ascii(200)} PRIMARY KEY, value MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL) ENGINE=InnoDB`,
  ];
}

const NO_AUTOCOMMIT =
  'The connections of the pool have `autocommit` off, so the store’s own statements would not be committed. Turn it on.';
const NO_DATABASE =
  'The connections of the pool have no database. Name one for the pool, or pass `table: "schema.table"`.';
