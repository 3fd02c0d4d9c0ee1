import { storeError } from '../bounded-calls.js';
import type { Step } from '../store.js';
import { type RunStatement, valuesOf } from './database.js';
import { type Claimed, type Durations, keysOf, type Statements, type Syntax } from './dialect.js';
import { codesOf, reasonsOf } from './errors.js';
import { finishing, isAt } from './logs.js';
import { endedError } from './outcome.js';
import { RECORD_COLUMNS, recordValues } from './records.js';
import { amongLiterals, literalsOf, rowStatements, writeReturning } from './syntax.js';
import { literal, literals, type Table, textLiteral } from './table.js';

/** Longest time until a key expires, in ms: Postgres has no dates beyond the year 294276. */
const LONGEST_MS = 1e14;

/** Uses the server's clock. */
export function postgresStatements(named: Table, { leaseMs, retentionMs }: Durations): Statements {
  let { quoted: table, cursors } = named;
  let isQualified = named.schema !== undefined;
  const leased = later(leaseMs);
  const retained = later(retentionMs);
  const lease = `'${milliseconds(leaseMs)}'`;
  const keysFrom = (keys: readonly string[]) => `unnest(ARRAY[${literals(keys)}]) AS wanted (key)`;
  const insert = (more = '') => `INSERT INTO ${table} AS held (key, owner, state, expires_at${more})`;
  const isOver = `held.expires_at <= clock_timestamp() AND held.state <> 'open'`;
  const isIdle = `held.state = 'dead' AND (held.retry_until IS NULL OR held.retry_until <= clock_timestamp())`;
  const replace =
    'DO UPDATE SET owner = excluded.owner, state = excluded.state, expires_at = excluded.expires_at, done_at = excluded.done_at';
  /** Tries to lock a key without waiting. A transaction that has claimed the key holds the lock. */
  const lock = (key: string, how = '') =>
    `pg_try_advisory_xact_lock${how}(hashtextextended(${key}, '${table}'::regclass::oid::bigint))`;
  /** When the lease ends, the server ends the running statement or, if there is none, the session. */
  const bounded = `(SELECT set_config('idle_in_transaction_session_timeout', ${lease}, true),
    CASE WHEN current_setting('statement_timeout') = '0' THEN set_config('statement_timeout', ${lease}, true) END) AS bounded`;

  /** Claims for a delivery, or for a retry. */
  const claimIn = (keys: readonly string[], step: Step) => {
    const { from, records } = step;
    if (step.transitions) {
      return `UPDATE ${table} AS held SET owner = txid_current()::text, state = 'open', claimed_at = clock_timestamp()
         FROM ${bounded} WHERE key IN (${literals(keys)}) AND ${isAt(syntax, step)} AND ${lock('key')}`;
    }
    if (from === 'dead') {
      return `UPDATE ${table} AS held SET owner = txid_current()::text, state = 'open', expires_at = ${retained}, claimed_at = clock_timestamp()
         FROM ${bounded} WHERE key IN (${literals(keys)}) AND (${isIdle}) AND ${lock('key')}`;
    }
    const given = recordsFrom(keys, records);
    return `${insert(given.columns)} SELECT key, txid_current()::text, 'open', ${retained}${given.values} FROM ${bounded}, ${given.from}
         WHERE ${lock('key')} ON CONFLICT (key) ${replace}${given.replace} WHERE ${isOver}`;
  };
  /** Like `claimIn`, for the length of a lease. The owner may already have a key, if an earlier answer was lost. */
  const leaseTo = (owner: string, keys: readonly string[], { from, records }: Step) => {
    if (from === 'dead') {
      return `UPDATE ${table} AS held SET owner = ${literal(owner)}, retry_until = ${leased}, abandoned = retry_until IS NOT NULL, claimed_at = clock_timestamp()
         WHERE key IN (${literals(keys)}) AND (${isIdle} OR (state = 'dead' AND owner = ${literal(owner)})) AND ${lock('key')}`;
    }
    const given = recordsFrom(keys, records);
    return `${insert(given.columns)} SELECT key, ${literal(owner)}, 'lease', ${leased}${given.values} FROM ${given.from}
         ON CONFLICT (key) ${replace}${given.replace}, abandoned = held.state = 'lease' AND (held.abandoned OR held.owner <> excluded.owner)
         WHERE (${isOver}) OR (held.owner = excluded.owner AND held.state = 'lease')`;
  };

  /**
   * Records the keys as done, in the role that claimed them. Fails unless the transaction is the one that claimed. The
   * failing cast is not of a constant, which Postgres would cast when planning.
   */
  const checked = ({ id, role, keys, owner, step }: Claimed) =>
    `CASE WHEN txid_current_if_assigned() = ${BigInt(id)} THEN set_config('role', ${role}, true)
      ELSE CAST(CAST(concat('${ENDED_MARK}', now()) AS int) AS text) END; ${finishing(syntax, keys, owner, step)
        .map((write) => write(syntax.texts()))
        .join('; ')}`;

  const syntax: Syntax = {
    rows: () => `${table} AS held`,
    prefix: 'held.',
    key: 'key',
    mostKeys: 1000,
    among: amongLiterals('key'),
    texts: literalsOf(text),
    select: (column) => column,
    read: String,
    now: () => 'clock_timestamp()',
    later,
    at: (ms) => `to_timestamp(${ms / 1000})`,
    ms: (value) => `floor(extract(epoch FROM ${value}) * 1000)::text`,
    isOver: () => isOver,
    isIdle: () => isIdle,
    isUnlocked: (key) => lock(key === undefined ? 'key' : literal(key), '_shared'),
    write: writeReturning(() => `${table} AS held`),
    end: () => '',
  };

  // The server shows the lower 32 bits. A session without a transaction has none.
  const backendOf = (id: string) => `backend_xid = '${BigInt.asUintN(32, BigInt(id))}'::xid`;

  /** Qualifies the table once, because a handler may change the search_path of its connection. */
  async function qualify(run: RunStatement): Promise<void> {
    const { rows } = await run(
      `SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('${table}')`,
    );
    const [schema] = rows.map((row) => valuesOf(row)[0]);
    if (schema === undefined) return;
    // Postgres returns the schema quoted where necessary.
    table = `${schema}.${named.quoted}`;
    cursors = `${schema}.${named.cursors}`;
    isQualified = true;
  }

  return {
    ...rowStatements(syntax),
    table: named.name,
    cursors: () => cursors,
    prepare: (run) => (isQualified ? undefined : qualify(run)),

    /** In one statement, under a lock, because IF NOT EXISTS has races between replicas. */
    async migrate(run) {
      const index = named.schema === undefined ? named.index : `"${named.schema}".${named.index}`;
      const all = [named.quoted, index, named.cursors].map((name) => `to_regclass('${name}') IS NOT NULL`);
      const { rows } = await run(`SELECT 'yes' WHERE ${all.join(' AND ')}`);
      // Unlike creating the tables, this needs no privilege.
      if (rows.length > 0) return;
      await run(`DO $$ BEGIN
        PERFORM set_config('client_min_messages', 'warning', true),
          pg_advisory_xact_lock(hashtextextended('event-webhook-receiver:${named.name}', 0));
        ${postgresDdl(named).join(';\n')};
      END $$`);
    },

    /** `now()` rather than `clock_timestamp()`: an index search needs a value that is stable within the statement. */
    async sweep(run, rows) {
      const isForgotten = `(last_failed_at IS NULL OR last_failed_at <= now() - ${interval(retentionMs)})`;
      const swept = await run(
        `WITH swept AS (DELETE FROM ${table} WHERE key IN
           (SELECT key FROM ${table} WHERE expires_at <= now() AND state <> 'open' AND ${isForgotten}
            LIMIT ${rows} FOR UPDATE SKIP LOCKED) RETURNING 1)
         SELECT count(*) FROM swept`,
      );
      return Number(keysOf(swept)[0]);
    },

    async claim(run, keys, owner, step) {
      const { rows } = await run(`${leaseTo(owner, keys, step)} RETURNING key, txid_current(), abandoned::int`);
      return new Map(
        rows.map(valuesOf).map(([key = '', token = '', abandoned]) => {
          const claim = { token: BigInt(token) };
          return [key, abandoned === '1' ? { ...claim, abandoned: true } : claim];
        }),
      );
    },

    async complete(run, keys, owner) {
      const recorded = await run(
        `${insert(', done_at')} SELECT key, ${literal(owner)}, 'done', ${retained}, clock_timestamp() FROM ${keysFrom(keys)}
         ON CONFLICT (key) ${replace}, letter = NULL
         WHERE held.owner = excluded.owner OR (${isOver}) OR (${isIdle}) RETURNING key`,
      );
      return new Set(keysOf(recorded));
    },

    transaction: {
      async claim(run, keys, _owner, step) {
        const { rows } = await run(
          `${claimIn(keys, step)} RETURNING key, owner, quote_literal(current_setting('role'))`,
        );
        const claimed = rows.map(valuesOf);
        const [, id = '', role] = claimed[0] ?? [];
        // Postgres counts transactions in 64 bits, and a key is claimed again only after its claim was committed or undone.
        const fencingToken = id ? BigInt(id) : undefined;
        return { keys: claimed.map(([key = '']) => key), owner: id, id, role, fencingToken };
      },
      async check(run, { id }) {
        const { rows } = await run('SELECT txid_current_if_assigned()').catch(refuse);
        if (rows.map(valuesOf)[0]?.[0] !== id) throw endedError();
      },
      // If the check fails, COMMIT does not run.
      commit: (send, claimed) => send(`SELECT ${checked(claimed)}; COMMIT`).catch(refuse),
      // One statement, because some clients cannot send several.
      async finish(run, claimed) {
        await run(`DO $$ BEGIN PERFORM ${checked(claimed)}; END $$`).catch(refuse);
      },
      /** Never waits for a key that another transaction has claimed meanwhile. */
      leaveOpen(run, { keys, owner, step }) {
        const given = recordsFrom(keys, step?.records);
        return run(
          `${insert(given.columns)} SELECT key, ${literal(owner)}, 'open', ${retained}${given.values} FROM ${given.from}
           WHERE ${lock('key')} ON CONFLICT (key) ${replace}${given.replace} WHERE (${isOver}) OR (${isIdle})${step?.transitions ? ` OR (${isAt(syntax, step)})` : ''}`,
        );
      },
      spoil: (run) =>
        run(`SELECT CAST('A webhook handler exceeded its time limit, so its transaction was aborted.' AS int)`),
      leave: (run, { id }) =>
        run(`SELECT pg_terminate_backend(pg_backend_pid()) WHERE txid_current_if_assigned() = ${BigInt(id)}`),
      cancel: (run, { id }) =>
        run(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${backendOf(id)} AND state = 'active'`),
      terminate: (run, { id }) => run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${backendOf(id)}`),
    },
  };
}

export const ABORTED =
  'The handler resolved although one of its statements failed, so the transaction was rolled back. Let the handler reject, or use a savepoint for statements that may fail.';

/** The parts of a claim that write records, or only the time of the claim. */
function recordsFrom(keys: readonly string[], records: Step['records']) {
  const columns = [...(records ? RECORD_COLUMNS : []), 'claimed_at'];
  const rows = keys.map((key) => (records ? [key, ...recordValues(records.get(key))] : [key]));
  const literals = (row: readonly (string | number | null)[]) =>
    row.map((each) => (each === null ? 'NULL' : text(String(each)))).join(', ');
  return {
    columns: columns.map((name) => `, ${name}`).join(''),
    // Not unnest(), which takes the server a fifth more CPU for the usual few keys.
    from: `(VALUES ${rows.map((row) => `(${literals(row)})`).join(', ')}) AS wanted (key${records ? `, ${RECORD_COLUMNS.join(', ')}` : ''})`,
    values: `${records ? `, source, via, kind, event_id, to_timestamp(received_at::float8 / 1000)` : ''}, clock_timestamp()`,
    replace: columns.map((name) => `, ${name} = excluded.${name}`).join(''),
  };
}

/** A text as an expression. */
function text(value: string): string {
  return textLiteral(value, (hex) => `convert_from(decode('${hex}', 'hex'), 'UTF8')`);
}

/** How the server's error begins if the transaction is not the one that claimed the keys. A time follows. */
const ENDED_MARK = 'A webhook handler ended its transaction itself. ';

const ENDED = new RegExp(`${ENDED_MARK}\\d`);

/** Explains why the check failed; passes on any other error. */
function refuse(error: unknown): never {
  if (codesOf(error).includes('25P02')) throw storeError(ABORTED, error);
  // Some clients append the text of the statement, in which no time follows the mark.
  const isEnded = reasonsOf(error).some(({ message }) => ENDED.test(String(message)));
  throw isEnded ? endedError(error) : error;
}

/** The statements that create the tables. Half of each page stays free for updates in place (HOT). */
export function postgresDdl({ quoted, index, cursors }: Table): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (key text COLLATE "C" PRIMARY KEY, owner text NOT NULL, state text NOT NULL, expires_at timestamptz NOT NULL, attempts integer NOT NULL DEFAULT 0, first_failed_at timestamptz, last_failed_at timestamptz, source text, error_code text, error_message text, letter text, abandoned boolean NOT NULL DEFAULT false, retry_until timestamptz, via text, kind text, event_id text COLLATE "C", received_at timestamptz, claimed_at timestamptz, done_at timestamptz, chain text, block_number bigint, block_hash text, transitions integer NOT NULL DEFAULT 0) WITH (fillfactor = 50)`,
    `CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at)`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL)`,
  ];
}

function later(ms: number): string {
  return `clock_timestamp() + ${interval(ms)}`;
}

function interval(ms: number): string {
  return `interval '${milliseconds(ms)} milliseconds'`;
}

function milliseconds(ms: number): number {
  return Math.min(Math.ceil(ms), LONGEST_MS);
}
