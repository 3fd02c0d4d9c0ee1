import Database from 'libsql';
import mysql from 'mysql2/promise';
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
  readonly via: Via;
}

/** Whether an event was delivered, or read from the chain by `reconcile`. */
export type Via = 'delivery' | 'reconcile';

type Row = Record<string, unknown>;

/** What took effect: the rows that the handlers of one run wrote. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>;

interface Client {
  query(text: string): Promise<Row[]>;
  /** Whether a statement failed because the server is down. */
  isAway(error: unknown): boolean;
  close(): Promise<unknown>;
}

const open = {
  postgres(url: string): Client {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    // A killed server is what is expected here: the next statement finds out.
    pool.on('error', () => {});
    return {
      query: async (text) => (await pool.query<Row>(text)).rows,
      // 57 is a server on its way down or up.
      isAway: (error) => !(error instanceof pg.DatabaseError) || (error.code ?? '').startsWith('57'),
      close: () => pool.end(),
    };
  },
  mariadb(url: string): Client {
    const pool = mysql.createPool({ uri: url, connectionLimit: 4 });
    return {
      query: async (text) => (await pool.query(text))[0] as Row[],
      // 08 is a connection that ends; a connection that could not be opened has no state.
      isAway: (error) => /^(08|undefined)/.test(String(Reflect.get(Object(error), 'sqlState'))),
      close: () => pool.end(),
    };
  },
  sqlite(file: string): Client {
    const database = new Database(file);
    // Does not wait in this process, whose timers end the pauses of others.
    database.pragma('busy_timeout = 0');
    // Readers of a log do not wait for a process that is stopped while it writes.
    database.pragma('journal_mode = WAL');
    return {
      query: async (text) => {
        if (text.startsWith('SELECT')) return database.prepare(text).all() as Row[];
        database.exec(text);
        return [];
      },
      isAway: (error) => String(Reflect.get(Object(error), 'code')).startsWith('SQLITE_BUSY'),
      close: async () => database.close(),
    };
  },
};

const SERVER_BACK_MS = 20_000;

/** @param at The URL of the database, or its file. */
export async function openLedger(kind: keyof typeof open, at: string, run: string) {
  const client = open[kind](at);

  /** Runs a statement, again for as long as the server is down. */
  async function query(text: string): Promise<Row[]> {
    const end = monotonic() + SERVER_BACK_MS;
    for (;;) {
      try {
        return await client.query(text);
      } catch (error) {
        if (!client.isAway(error) || monotonic() > end) throw error;
      }
      await sleep(20);
    }
  }

  await query(
    `CREATE TABLE IF NOT EXISTS effects (run varchar(60), event_id varchar(40), part int, pid int,
      sent_at double precision, checked double precision, claimed double precision, via varchar(10))`,
  );
  // For the locks of handlers.
  await query('CREATE TABLE IF NOT EXISTS shared_rows (run varchar(60), id int, n int, PRIMARY KEY (run, id))');
  await query(`INSERT INTO shared_rows VALUES ('${run}', 1, 0), ('${run}', 2, 0)`);
  await query('CREATE INDEX IF NOT EXISTS effects_event ON effects (run, event_id)');

  return {
    query,
    /** Which of the events have not taken effect, with all of so many parts. */
    async missing(ids: readonly string[], parts: number) {
      if (ids.length === 0) return [];
      const wanted = ids.map((id) => `'${id}'`).join(', ');
      const rows = await query(
        `SELECT event_id FROM effects WHERE run = '${run}' AND event_id IN (${wanted})
         GROUP BY event_id HAVING count(DISTINCT part) = ${parts}`,
      );
      const there = new Set(rows.map((row) => String(row.event_id)));
      return ids.filter((id) => !there.has(id));
    },
    async effects(): Promise<Effect[]> {
      const rows = await query(`SELECT * FROM effects WHERE run = '${run}' ORDER BY sent_at, part`);
      return rows.map((row) => ({
        id: String(row.event_id),
        part: Number(row.part),
        pid: Number(row.pid),
        at: Number(row.sent_at),
        checked: Number(row.checked),
        claimed: Number(row.claimed),
        via: row.via as Via,
      }));
    },
    close: client.close,
  };
}
