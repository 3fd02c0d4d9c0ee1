import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { checkOptions, optionError } from '../../../internal/check-options.js';
import type { SqlDatabase, TransactionOptions } from '../database.js';
import { answerOf } from './clients.js';
import { revocable } from './revocable.js';

/** The functions of a client for {@link fromTransaction}. */
export interface TransactionSource<Tx> {
  readonly dialect: 'postgres' | 'mysql';
  /**
   * Runs one statement without parameters: in the transaction `tx`, or without one on another connection. Resolves to
   * the rows, or to a result of pg or mysql2.
   */
  run(statement: string, tx?: Tx): PromiseLike<unknown>;
  /** Opens a transaction and calls `work` with it; commits when `work` resolves, and rolls back when it rejects. */
  transaction(work: (tx: Tx) => Promise<void>, options: TransactionOptions): PromiseLike<unknown>;
}

/**
 * Takes another client of Postgres or MySQL for `sqlStore`, through its function that runs a callback in a transaction.
 * In a transaction `context.tx` is what that function passes to its callback. When a handler times out, the session of
 * its transaction is ended: the client must then reject and reconnect. After each commit the store checks its row,
 * because many clients do not notice when Postgres rolled back instead.
 *
 * @example
 * ```ts
 * import { fromTransaction, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { Sequelize, type Transaction } from 'sequelize';
 *
 * const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', { dialect: 'postgres' });
 * const db = fromTransaction<Transaction>({
 *   dialect: 'postgres',
 *   run: (statement, transaction) => sequelize.query(statement, { transaction: transaction ?? null }),
 *   transaction: (work) => sequelize.transaction(work),
 * });
 * const store = sqlStore({ db, transactional: true });
 * ```
 * @param source The dialect and the two functions.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option, and for SQLite.
 */
export function fromTransaction<Tx>(source: TransactionSource<Tx>): SqlDatabase<Tx> {
  checkOptions('fromTransaction', source, ['dialect', 'run', 'transaction']);
  const dialect: unknown = source.dialect;
  if (dialect === 'sqlite') throw new ConfigError(SQLITE);
  if (dialect !== 'postgres' && dialect !== 'mysql') throw optionError('dialect', "'postgres' or 'mysql'", dialect);
  if (!hasMethods<TransactionSource<Tx>>(source, 'run', 'transaction')) {
    throw optionError('run and transaction', 'functions of your client', source);
  }
  return {
    dialect,
    run: async (statement) => answerOf(await source.run(statement)),
    async transaction(work, options) {
      await source.transaction(
        (tx) =>
          work({
            ...(Object(tx) === tx ? revocable(tx as Tx & object) : { tx }),
            run: async (statement) => answerOf(await source.run(statement, tx)),
          }),
        options,
      );
    },
  };
}

const SQLITE =
  '`fromTransaction` takes Postgres and MySQL. For SQLite, pass the driver to fromLibsql, fromBetterSqlite3, fromNodeSqlite or fromBunSqlite.';
