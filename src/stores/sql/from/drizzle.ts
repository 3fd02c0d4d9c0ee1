import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase } from '../database.js';
import { fromMysql2 } from './mysql2.js';
import { fromPg } from './pg.js';
import { overError } from './postgres-session.js';

/** The part of a Drizzle database that the store uses. */
export interface DrizzleLike<Tx> {
  readonly $client: unknown;
  transaction(work: (tx: Tx) => Promise<void>): Promise<void>;
}

/**
 * Takes a Drizzle database for `sqlStore`, over a Pool of pg or a pool of mysql2. In a transaction `context.tx` is Drizzle's
 * own, on a connection that the store takes from the pool as `fromPg` and `fromMysql2` do, because Drizzle neither closes
 * one that no longer answers nor listens to one that breaks.
 *
 * @example
 * ```ts
 * import { fromDrizzle, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const store = sqlStore({ db: fromDrizzle(drizzle(pool)), transactional: true });
 * ```
 * @param db Your database. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and as the function of the driver does.
 */
export function fromDrizzle<Tx>(db: DrizzleLike<Tx>): SqlDatabase<Tx> {
  const session: unknown = hasMethods<DrizzleLike<Tx>>(db, 'transaction') ? Reflect.get(db, 'session') : undefined;
  if (!isSession(session)) throw optionError('db', 'a database of Drizzle', db);
  const client = clientOf(session);
  return {
    dialect: client.dialect,
    run: client.run,
    transaction: (work, options) =>
      client.transaction(async ({ tx, ...transaction }) => {
        let phase: 'begin' | 'work' | 'end' = 'begin';
        // Drizzle's BEGIN, COMMIT and ROLLBACK do nothing: the store sends its own.
        const gate = {
          query(query: Query, values: unknown[]) {
            if (phase === 'work') return tx.query(query, values);
            if (phase === 'begin' || /^(commit|rollback)$/.test(query.text ?? query.sql ?? '')) return NOTHING;
            return Promise.reject(overError());
          },
        };
        await on(session, gate).transaction(async (drizzleTx) => {
          phase = 'work';
          await work({ ...transaction, tx: drizzleTx as Tx }).finally(() => {
            phase = 'end';
          });
        });
      }, options),
  };
}

interface Query {
  readonly text?: string;
  readonly sql?: string;
}

interface Client {
  query(query: Query, values: unknown[]): Promise<unknown>;
}

interface Session {
  readonly client: object;
  transaction(work: (tx: unknown) => Promise<void>): Promise<void>;
}

/** The result of a statement without rows, in pg and in mysql2. */
const NOTHING = Promise.resolve(Object.assign([[], []], { rows: [] }));

function isSession(value: unknown): value is Session {
  return hasMethods<Session>(value, 'transaction') && typeof value.client === 'object';
}

function clientOf({ client }: Session): SqlDatabase<Client> {
  if ('getConnection' in client) return fromMysql2(client as never) as SqlDatabase<Client>;
  if ('connect' in client) return fromPg(client as never) as SqlDatabase<Client>;
  throw new ConfigError('`fromDrizzle` takes a database over a Pool of pg or a pool of mysql2.');
}

/** The session on another client. */
function on(session: Session, client: Client): Session {
  return Object.assign(Object.create(Object.getPrototypeOf(session)), session, { client });
}
