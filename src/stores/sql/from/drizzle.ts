import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase } from '../database.js';
import { fromPg } from './pg.js';
import { overError } from './postgres-session.js';

/** What is used of a Drizzle database. */
export interface DrizzleLike<Tx> {
  readonly $client: unknown;
  transaction(work: (tx: Tx) => Promise<void>): Promise<void>;
}

export function fromDrizzle<Tx>(db: DrizzleLike<Tx>): SqlDatabase<Tx> {
  const session: unknown = Reflect.get(db, 'session');
  if (!hasMethods<DrizzleLike<Tx>>(db, 'transaction') || !isSession(session)) {
    throw optionError('db', 'a Drizzle database', db);
  }
  const client = fromPg(session.client as never) as SqlDatabase<Queryable>;
  return {
    dialect: client.dialect,
    run: client.run,
    transaction: (work, options) =>
      client.transaction(async ({ tx, run, destroy }) => {
        let phase: 'begin' | 'work' | 'end' = 'begin';
        // Drizzle's own BEGIN, COMMIT and ROLLBACK do nothing: the client sends them.
        const gate = {
          query(query: { readonly text: string }, values: unknown[]) {
            if (phase === 'work') return tx.query(query, values);
            if (phase === 'begin' || isEnd(query)) return Promise.resolve({ rows: [] });
            return Promise.reject(overError());
          },
        };
        await on(session, gate).transaction(async (transaction) => {
          phase = 'work';
          await work({ tx: transaction as Tx, run, destroy }).finally(() => {
            phase = 'end';
          });
        });
      }, options),
  };
}

interface Queryable {
  query(query: unknown, values: unknown[]): Promise<unknown>;
}

interface Session {
  readonly client: unknown;
  transaction(work: (tx: never) => Promise<void>): Promise<void>;
}

function isSession(value: unknown): value is Session {
  return hasMethods<Session>(value, 'transaction') && 'client' in value;
}

function isEnd({ text }: { readonly text: string }): boolean {
  return text === 'commit' || text === 'rollback';
}

function on(session: Session, client: unknown): Session {
  return Object.assign(Object.create(Object.getPrototypeOf(session)), session, { client });
}
