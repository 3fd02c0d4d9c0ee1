import type { SynchronousDatabase } from '../database.js';
import { overError } from './pooled.js';
import type { SqliteLike } from './run-on.js';

/** What a Drizzle database does its work with. */
export interface DrizzleSession {
  readonly client: object;
  transaction(work: (tx: unknown) => Promise<void> | undefined): Promise<void>;
}

/** A client for a session, which has one transaction that the store begins and ends. */
export interface Gate {
  readonly client: object;
  /** Called when the session has begun. */
  open(): void;
  /** Called when the handler has settled. */
  close(): void;
}

interface Query {
  /** Of pg. */
  readonly text?: string;
  /** Of mysql2. */
  readonly sql?: string;
}

interface Connection {
  query(query: Query, values: unknown[]): Promise<unknown>;
  release(): void;
}

/** Of pg and mysql2, PGlite, and libsql. */
type Client = Connection | { query: unknown } | { execute(statement: unknown): unknown };

/** The result of a statement without rows, in pg and in mysql2. */
const NOTHING = Promise.resolve(Object.assign([[], []], { rows: [] }));

/** @param tx The transaction of a driver. */
export function gateOf(tx: object): Gate {
  // postgres.js and PGlite call a function with the transaction.
  if ('unsafe' in tx) return of({ begin: <T>(work: (inner: object) => T) => work(tx) });
  const client = tx as Client;
  if ('release' in client) return queryGate(client);
  if ('query' in client) return of({ transaction: <T>(work: (inner: object) => T) => work(tx) });
  const nothing = async () => {};
  return of({
    transaction: async () => ({ execute: client.execute.bind(client), commit: nothing, rollback: nothing }),
  });
}

function of(client: object): Gate {
  return { client, open() {}, close() {} };
}

/** Answers the BEGIN, COMMIT and ROLLBACK of a session without sending them. */
function queryGate(connection: Connection): Gate {
  let phase: 'begin' | 'work' | 'end' = 'begin';
  return {
    client: {
      query(query: Query, values: unknown[]) {
        if (phase === 'work') return connection.query(query, values);
        if (phase === 'begin' || /^(commit|rollback)$/.test(query.text ?? query.sql ?? '')) return NOTHING;
        return Promise.reject(overError());
      },
    },
    open() {
      phase = 'work';
    },
    close() {
      phase = 'end';
    },
  };
}

/** The session on another client. */
export function bound(session: DrizzleSession, client: object): DrizzleSession {
  return Object.assign(Object.create(Object.getPrototypeOf(session)), session, { client });
}

/** Drizzle's transaction of a synchronous driver, which works in transactions of the store. */
export function synchronousTransaction(session: DrizzleSession, db: SynchronousDatabase<SqliteLike>): unknown {
  const client = {
    prepare(text: string) {
      if (db.state() === 'free') throw overError();
      return db.connection.prepare(text);
    },
    // Drizzle calls the function that better-sqlite3 gives for this kind of transaction.
    transaction: (work: (tx: unknown) => undefined) => Object.assign(work, { deferred: work }),
  };
  let transaction: unknown;
  void bound(session, client).transaction((tx) => {
    transaction = tx;
    return undefined;
  });
  return transaction;
}
