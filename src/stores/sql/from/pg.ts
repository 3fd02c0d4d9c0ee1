import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import { storeError } from '../../bounded-calls.js';
import type { SqlDatabase } from '../database.js';
import { ABORTED } from '../postgres.js';
import { answerOf, listenTo, releasing, runOnce, warnWithoutLimit } from './clients.js';
import { revocable } from './revocable.js';

/** The part of a connection from a pg Pool that the store uses. */
export interface PgClientLike {
  query(text: string): Promise<unknown>;
  release(destroy?: boolean): void;
}

/** The part of a pg `Pool` that the store uses. `connect` has two overloads, so that its type can be inferred. */
export interface PgPoolLike<Client> {
  readonly options: { readonly connectionTimeoutMillis?: number | undefined };
  connect(): Promise<Client>;
  connect(
    callback: (error: Error | undefined, client: Client | undefined, done: (destroy?: boolean) => void) => void,
  ): void;
}

/**
 * Takes a Pool of pg for `sqlStore`. In a transaction `context.tx` is its connection (`PoolClient`). A connection that
 * does not answer in time is closed. Settings that a handler makes with `SET`, not `SET LOCAL`, stay in the session.
 *
 * It listens to `error` of the pool and its connections, so that a broken connection does not end the process.
 *
 * @example
 * ```ts
 * import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
 * pool.on('error', (error) => console.error(error.message));
 * const store = sqlStore({ db: fromPg(pool), transactional: true });
 * ```
 * @param pool Your Pool. You are warned if it has no `connectionTimeoutMillis`. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromPg<Client extends PgClientLike>(pool: PgPoolLike<Client>): SqlDatabase<Client> {
  checkPool(pool);
  listenTo(pool);
  return {
    dialect: 'postgres',
    async run(statement, timeoutMs) {
      const client = await pool.connect();
      const release = (destroy: boolean) => client.release(destroy);
      return runOnce(async () => answerOf(await client.query(statement)), release, isAnswer, timeoutMs);
    },
    async transaction(work, { isolationLevel }) {
      const client = await pool.connect();
      const release = releasing((destroy) => client.release(destroy));
      /** Runs the statements of one message, and resolves to the answer to the last statement. */
      const send = async (text: string) => [await client.query(text)].flat().at(-1) as PgResult;
      let isCommitted = false;
      async function commit(text: string): Promise<void> {
        // Postgres answers COMMIT with ROLLBACK if a statement has failed.
        isCommitted = (await send(text)).command === 'COMMIT';
        if (!isCommitted) throw storeError(ABORTED);
      }
      // Sent with the first statement, which saves a round trip.
      let begin = isolationLevel ? `BEGIN ISOLATION LEVEL ${isolationLevel}; ` : 'BEGIN; ';
      try {
        await work({
          ...revocable(client),
          async run(statement) {
            const text = begin + statement;
            begin = '';
            return answerOf(await send(text));
          },
          destroy: () => release(true),
          commit,
        });
        if (!isCommitted) await commit('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK').then(
          () => release(false),
          () => release(true),
        );
        throw error;
      }
      release(false);
    },
  };
}

interface PgResult {
  readonly command: string;
}

/** Whether the error is an answer of the server, so that the connection still works. */
function isAnswer(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'severity' in error && Reflect.get(error, 'severity') !== 'FATAL'
  );
}

function checkPool(pool: unknown): void {
  // A Client has these methods too, a Pool does not.
  const isClient =
    hasMethods<Record<string, unknown>>(pool, 'release') || hasMethods<Record<string, unknown>>(pool, 'escapeLiteral');
  if (
    !hasMethods<PgPoolLike<unknown>>(pool, 'connect') ||
    !hasMethods<Record<string, unknown>>(pool, 'query') ||
    isClient
  ) {
    throw optionError('pool', 'a Pool of pg, not a Client or a URL', pool);
  }
  const { connectionTimeoutMillis } = (pool as Partial<PgPoolLike<unknown>>).options ?? {};
  const fix = 'new Pool({ …, connectionTimeoutMillis: 5000 }), which ORMs take as well';
  warnWithoutLimit(pool, Number(connectionTimeoutMillis) > 0, 'connectionTimeoutMillis', fix);
}
