import pg from 'pg';
import { monotonic, sleep } from './clock.js';

/** One row that a handler wrote. */
export interface Effect {
  readonly id: string;
  readonly part: number;
  readonly pid: number;
  /** When it was sent to the database, in ms of the monotonic clock; so are the next two. */
  readonly at: number;
  /** When the handler looked whether its lease still holds. */
  readonly checked: number;
  /** When the store was asked for the key. */
  readonly claimed: number;
}

/** What took effect: the table that the handlers of one run write to. */
export interface Ledger {
  readonly pool: pg.Pool;
  /** Runs a statement, again for as long as the server is down. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Which of the events have not taken effect. */
  missing(ids: readonly string[]): Promise<string[]>;
  effects(): Promise<Effect[]>;
  close(): Promise<void>;
}

const SERVER_BACK_MS = 20_000;

export async function openLedger(url: string, run: string): Promise<Ledger> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // A killed server is what is expected here: the next statement finds out.
  pool.on('error', () => {});
  const table = `effects_${run}`;

  async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const end = monotonic() + SERVER_BACK_MS;
    for (;;) {
      try {
        return (await pool.query<Record<string, unknown>>(text, values)).rows;
      } catch (error) {
        // What the server itself refuses stays refused; 57 is a server on its way down or up.
        const state = error instanceof pg.DatabaseError ? (error.code ?? '') : '57';
        if (!state.startsWith('57') || monotonic() > end) throw error;
      }
      await sleep(20);
    }
  }

  await query(
    `CREATE TABLE IF NOT EXISTS ${table} (n bigserial PRIMARY KEY, event_id text, part int, pid int, at double precision,
      checked double precision, claimed double precision)`,
  );
  await query(`CREATE INDEX IF NOT EXISTS ${table}_id ON ${table} (event_id)`);

  return {
    pool,
    query,
    async missing(ids) {
      const rows = await query(`SELECT DISTINCT event_id FROM ${table} WHERE event_id = ANY($1)`, [ids]);
      const there = new Set(rows.map((row) => String(row.event_id)));
      return ids.filter((id) => !there.has(id));
    },
    async effects() {
      const rows = await query(`SELECT event_id, part, pid, at, checked, claimed FROM ${table} ORDER BY at, n`);
      return rows.map((row) => ({
        id: String(row.event_id),
        part: Number(row.part),
        pid: Number(row.pid),
        at: Number(row.at),
        checked: Number(row.checked),
        claimed: Number(row.claimed),
      }));
    },
    close: () => pool.end(),
  };
}
