import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase } from '../database.js';
import { fromPg } from './pg.js';

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
        let isOpen = false;
        const gate = {
          query: (query: unknown, values: unknown[]) =>
            isOpen ? tx.query(query, values) : Promise.resolve({ rows: [] }),
        };
        await on(session, gate).transaction(async (drizzleTx: Tx) => {
          isOpen = true;
          try {
            await work({ tx: drizzleTx, run, destroy });
          } finally {
            isOpen = false;
          }
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

function on(session: Session, client: unknown): Session {
  return Object.assign(Object.create(Object.getPrototypeOf(session)), session, { client });
}
