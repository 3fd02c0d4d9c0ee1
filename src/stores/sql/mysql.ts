import { createHash } from 'node:crypto';
import { storeError } from '../bounded-calls.js';
import { type Run, valuesOf } from './database.js';
import { type Claimed, codesOf, type Durations, ENDED, keysOf, type Statements, type Status } from './dialect.js';
import { literal, literals, type Table } from './table.js';

/** Marks the transaction: ending it removes its savepoints, with whatever statement. */
const MARK = 'event_webhook_receiver';
/** Epoch milliseconds on the server's clock, in any session time zone. */
const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000`;

/**
 * MySQL 8 and MariaDB 10.6 or later. INSERT waits for a key that another transaction has inserted, so transactions hold a
 * named lock for each key, which can be asked for without waiting.
 */
export function mysqlStatements(table: Table, { leaseMs, retentionMs }: Durations): Statements {
  const { quoted } = table;
  const columns = '(`key`, owner, done, expires_at)';
  const later = (ms: number) => `${NOW} + ${Math.ceil(ms)}`;
  const lockOf = (key: string) => `'${lockName(table, key)}'`;

  /** Overwrites where `condition` is true. Each assignment sees those before it, so the columns of the condition come last. */
  const upsert = (keys: readonly string[], owner: string, done: 0 | 1, expires: string, condition: string) => {
    const rows = keys.map((key) => `(${literal(key)}, ${literal(owner)}, ${done}, ${expires})`).join(', ');
    const set = (column: string, value: string) => `${column} = IF(${condition}, ${value}, ${column})`;
    return `INSERT INTO ${quoted} ${columns} VALUES ${rows} ON DUPLICATE KEY UPDATE
      ${set('done', String(done))}, ${set('owner', literal(owner))}, ${set('expires_at', expires)}`;
  };

  const unlock = ({ locked = [] }: Claimed) => `DO ${locked.map((key) => `RELEASE_LOCK(${lockOf(key)})`).join(', ')}`;

  async function ownedBy(run: Run, keys: readonly string[], owner: string, done: 0 | 1): Promise<string[]> {
    return keysOf(
      await run(
        `SELECT \`key\` FROM ${quoted} WHERE \`key\` IN (${literals(keys)}) AND owner = ${literal(owner)} AND done = ${done}`,
      ),
    );
  }

  return {
    table: table.name,
    async migrate(run) {
      for (const statement of mysqlDdl(table)) await run(statement);
    },
    async sweep(run, rows) {
      const expired = keysOf(await run(`SELECT \`key\` FROM ${quoted} WHERE expires_at <= ${NOW} LIMIT ${rows}`));
      if (expired.length === 0) return 0;
      await run(`DELETE FROM ${quoted} WHERE \`key\` IN (${literals(expired)}) AND expires_at <= ${NOW}`);
      return expired.length;
    },
    async status(run, keys) {
      const { rows } = await run(
        `SELECT \`key\`, IF(done, 'duplicate', 'in-progress') FROM ${quoted}
         WHERE \`key\` IN (${literals(keys)}) AND expires_at > ${NOW}`,
      );
      return new Map(rows.map(valuesOf) as [string, Status][]);
    },
    async claim(run, keys, owner) {
      await run(upsert(keys, owner, 0, later(leaseMs), `expires_at <= ${NOW}`));
      return new Map((await ownedBy(run, keys, owner, 0)).map((key) => [key, undefined]));
    },
    async complete(run, keys, owner) {
      const condition = `owner = ${literal(owner)} OR expires_at <= ${NOW}`;
      await run(upsert(keys, owner, 1, later(retentionMs), condition));
      return new Set(await ownedBy(run, keys, owner, 1));
    },
    release: (run, keys, owner) =>
      run(`DELETE FROM ${quoted} WHERE \`key\` IN (${literals(keys)}) AND owner = ${literal(owner)} AND done = 0`),

    transaction: {
      async claim(run, keys, owner) {
        const wanted = keys.map((key) => `SELECT ${literal(key)} AS k, ${lockOf(key)} AS l`).join(' UNION ALL ');
        const { changed } = await run(
          `INSERT IGNORE INTO ${quoted} ${columns} SELECT k, ${literal(owner)}, 1, ${later(retentionMs)}
           FROM (${wanted}) AS wanted WHERE GET_LOCK(l, 0) = 1`,
        );
        const claimed = changed === keys.length ? keys : await claimedOf(run, keys, owner);
        await run(`SAVEPOINT ${MARK}`);
        return { keys: claimed, locked: keys, id: keys[0] as string };
      },
      async check(run, claimed) {
        await run(`RELEASE SAVEPOINT ${MARK}`).catch((error: unknown) => {
          if (!codesOf(error).includes('1305')) throw error;
          throw storeError(ENDED, error);
        });
        // Before the commit, as the client gives the connection to others right after it. Who asks now waits for it.
        await run(unlock(claimed));
      },
      undo: (run, claimed) => run(unlock(claimed)),
      spoil: (run) => run('KILL CONNECTION_ID()'),
      async terminate(run, { id }) {
        const [holder] = keysOf(await run(`SELECT IS_USED_LOCK(${lockOf(id)})`));
        if (holder !== undefined && /^\d+$/.test(holder)) await run(`KILL ${holder}`);
      },
    },
  };

  /** Some keys took effect before, or expired, or others have their locks. */
  async function claimedOf(run: Run, keys: readonly string[], owner: string): Promise<string[]> {
    const { rows } = await run(
      `SELECT \`key\`, expires_at <= ${NOW} AND IS_USED_LOCK(CONCAT('ewr:', LEFT(SHA2(CONCAT('${table.name} ', \`key\`), 256), 40))) = CONNECTION_ID()
       FROM ${quoted} WHERE \`key\` IN (${literals(keys)})`,
    );
    const expired = rows.map(valuesOf).flatMap(([key = '', isExpired]) => (isExpired === '1' ? [key] : []));
    if (expired.length > 0) {
      await run(
        `UPDATE ${quoted} SET owner = ${literal(owner)}, done = 1, expires_at = ${later(retentionMs)} WHERE \`key\` IN (${literals(expired)})`,
      );
    }
    return ownedBy(run, keys, owner, 1);
  }
}

/** At most 64 characters. */
function lockName({ name }: Table, key: string): string {
  return `ewr:${createHash('sha256').update(`${name} ${key}`).digest('hex').slice(0, 40)}`;
}

/** The statements that create the table. */
export function mysqlDdl({ quoted, index }: Table): string[] {
  const ascii = (length: number) => `VARCHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`;
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (\`key\` ${ascii(200)} PRIMARY KEY, owner ${ascii(64)} NOT NULL, done TINYINT NOT NULL, expires_at BIGINT NOT NULL, KEY ${index} (expires_at)) ENGINE=InnoDB`,
  ];
}
