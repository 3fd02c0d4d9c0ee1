import { optionError } from '../../internal/check-options.js';

/** Longest time until a key expires, in ms: Postgres has no dates beyond the year 294276. */
const LONGEST_MS = 1e14;

/** A statement with its parameters, or several statements without parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

export type Statements = ReturnType<typeof statementsFor>;

/**
 * The statements for one table. They use the server's clock.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` if the table is not a plain identifier.
 */
export function statementsFor(name: string, { leaseMs, retentionMs }: { leaseMs: number; retentionMs: number }) {
  // 48 characters leave room for the index's suffix: Postgres cuts names after 63.
  if (typeof name !== 'string' || !/^([A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,47}$/.test(name)) {
    throw optionError('table', 'an identifier of at most 48 letters, digits and _, or schema.table', name);
  }
  const table = `"${name.replace('.', '"."')}"`;
  const bare = name.slice(name.indexOf('.') + 1);
  const schema = name.slice(0, -bare.length);
  const index = `${bare}_expires_at_idx`;
  const leased = later(leaseMs);
  const retained = later(retentionMs);
  const insert = `INSERT INTO ${table} AS held (key, owner, done, expires_at)`;

  return {
    name,

    /** Returns `claimed` and the transaction's id; no row if another run has claimed the key or it has taken effect. */
    claim: (key: string, owner: string) =>
      statement(
        `${insert} VALUES ($1, $2, false, ${leased})
       ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = false, expires_at = ${leased}
       WHERE held.expires_at <= clock_timestamp() OR (held.owner = excluded.owner AND NOT held.done)
       RETURNING 'claimed ' || txid_current()`,
        key,
        owner,
      ),

    /** Returns no row if no run has claimed the key and it has not taken effect. */
    status: (key: string) =>
      statement(
        `SELECT CASE WHEN done THEN 'duplicate' ELSE 'in-progress' END FROM ${table}
       WHERE key = $1 AND expires_at > clock_timestamp()`,
        key,
      ),

    /** Writes no row if another run has claimed or completed the key. */
    complete: (key: string, owner: string) =>
      statement(
        `${insert} VALUES ($1, $2, true, ${retained})
       ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = true, expires_at = ${retained}
       WHERE held.owner = excluded.owner OR held.expires_at <= clock_timestamp()`,
        key,
        owner,
      ),

    release: (key: string, owner: string) =>
      statement(`DELETE FROM ${table} WHERE key = $1 AND owner = $2 AND NOT done`, key, owner),

    /**
     * For the beginning of a transaction. Returns `claimed` and the transaction's id; no row if another transaction is
     * handling the key or it has taken effect. The advisory lock shows whether there is one, so this never waits for it.
     * When the lease ends, the server terminates an idle transaction and, from version 17 on, any transaction.
     */
    claimInTransaction: (key: string) =>
      statement(
        `${insert} SELECT $1, txid_current()::text, true, ${retained}
       WHERE set_config('idle_in_transaction_session_timeout', '${milliseconds(leaseMs)}', true) IS NOT NULL
         AND (current_setting('transaction_timeout', true) IS NULL
           OR set_config('transaction_timeout', '${milliseconds(leaseMs)}', true) IS NOT NULL)
         AND pg_try_advisory_xact_lock(hashtextextended($1, '${table}'::regclass::oid::bigint))
       ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = true, expires_at = excluded.expires_at
       WHERE held.expires_at <= clock_timestamp()
       RETURNING 'claimed ' || txid_current()`,
        key,
      ),

    /** For use after a rollback: undoes the claim if the handler committed the transaction itself and then failed. */
    forget: (key: string, transaction: string) =>
      statement(`DELETE FROM ${table} WHERE key = $1 AND owner = $2`, key, transaction),

    /** Ends the session of a transaction that is running a statement, which may wait forever for a lock. */
    interrupt: (transaction: string) =>
      statement(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_xid = ($1::text::bigint % 4294967296)::text::xid AND state = 'active'`,
        transaction,
      ),

    /** Fails if the transaction is aborted, or is not the one that claimed the key. */
    check: (transaction: string) =>
      statement(`SELECT 1 / (txid_current_if_assigned() IS NOT DISTINCT FROM $1::text::bigint)::int`, transaction),

    /** Returns `yes` if table and index exist. Unlike creating them, this needs no privilege. */
    migrated: statement(
      `SELECT 'yes' WHERE to_regclass('${table}') IS NOT NULL AND to_regclass('"${schema && `${schema.slice(0, -1)}"."`}${index}"') IS NOT NULL`,
    ),

    /** One text is one transaction. The lock admits one replica at a time, because IF NOT EXISTS alone has races. */
    migrate: statement(
      `SELECT set_config('client_min_messages', 'warning', true),
         pg_advisory_xact_lock(hashtextextended('event-webhook-receiver:${name}', 0));
       CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, owner text NOT NULL, done boolean NOT NULL,
         expires_at timestamptz NOT NULL);
       CREATE INDEX IF NOT EXISTS "${index}" ON ${table} (expires_at)`,
    ),

    /** `now()` rather than `clock_timestamp()`: an index search needs a value that is stable within the statement. */
    sweep: (rows: number) =>
      statement(
        `DELETE FROM ${table} WHERE key IN
         (SELECT key FROM ${table} WHERE expires_at <= now() LIMIT ${rows} FOR UPDATE SKIP LOCKED)`,
      ),
  };
}

/**
 * The fencing token in `claimed <id>`: the id of the transaction that claimed the key. A key is claimed again only after
 * the previous claim was committed or undone, and Postgres increments transaction ids in 64 bits.
 */
export function tokenOf(claimed: unknown): bigint {
  return BigInt(String(claimed).slice('claimed '.length));
}

function later(ms: number): string {
  return `clock_timestamp() + interval '${milliseconds(ms)} milliseconds'`;
}

function milliseconds(ms: number): number {
  return Math.min(Math.ceil(ms), LONGEST_MS);
}

function statement(text: string, ...values: string[]): Statement {
  return { text, values };
}

/**
 * The statement as one text. It takes one round trip, alone or together with others, and prepares nothing that a
 * connection pooler could lose. `storableKey` has limited keys to these characters; this refuses any other value.
 */
export function inline({ text, values }: Statement): string {
  return text.replace(/\$(\d)/g, (_, position) => {
    const value = String(values[position - 1]);
    if (!/^[\w.:@/+-]+$/.test(value)) throw new TypeError('The value cannot be inlined into a statement.');
    return `'${value}'`;
  });
}
