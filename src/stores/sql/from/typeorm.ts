import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Dialect, IsolationLevel, SqlDatabase } from '../database.js';
import { ignoreConnectionErrors } from './pool-errors.js';
import { type RawConnection, runOn, transactionOn } from './raw-connection.js';
import { warnWithoutLimit } from './warning.js';

export interface QueryRunnerLike<Manager> {
  readonly manager: Manager;
  readonly isReleased: boolean;
  readonly isTransactionActive: boolean;
  connect(): Promise<unknown>;
  startTransaction(isolationLevel?: Uppercase<IsolationLevel>): Promise<void>;
  commitTransaction(): Promise<void>;
  rollbackTransaction(): Promise<void>;
  release(): Promise<void>;
}

/** The part of a DataSource of TypeORM that the store uses. */
export interface DataSourceLike<Manager> {
  readonly options: {
    readonly type: string;
    readonly connectTimeoutMS?: number;
    // biome-ignore lint/suspicious/noExplicitAny: as TypeORM types it
    readonly extra?: any;
  };
  readonly driver?: object;
  createQueryRunner(): QueryRunnerLike<Manager>;
}

const DIALECTS: Readonly<Record<string, Dialect>> = { postgres: 'postgres', mysql: 'mysql', mariadb: 'mysql' };

/**
 * Takes a DataSource of TypeORM for `sqlStore`, of type postgres, mysql or mariadb. In a transaction `context.tx` is its
 * `EntityManager`. A connection that does not answer in time is closed, and over Postgres one whose session a handler has
 * changed. A handler that ends the transaction itself (`tx.queryRunner`) fails; one that it leaves open within the
 * transaction is committed with it.
 *
 * It does not initialize the DataSource: do that before deliveries arrive.
 *
 * @example
 * ```ts
 * import { fromTypeOrm, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { DataSource } from 'typeorm';
 *
 * const url = process.env.DATABASE_URL ?? '';
 * const dataSource = await new DataSource({ type: 'postgres', url, connectTimeoutMS: 5000 }).initialize();
 * const store = sqlStore({ db: fromTypeOrm(dataSource), transactional: true });
 * ```
 * @param dataSource Your DataSource. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for other types.
 */
export function fromTypeOrm<Manager>(dataSource: DataSourceLike<Manager>): SqlDatabase<Manager> {
  if (!hasMethods<DataSourceLike<Manager>>(dataSource, 'createQueryRunner')) {
    throw optionError('dataSource', 'a DataSource of TypeORM', dataSource);
  }
  const { type, connectTimeoutMS, extra } = dataSource.options;
  const dialect = Object.hasOwn(DIALECTS, type) ? DIALECTS[type] : undefined;
  if (!dialect) {
    throw new ConfigError(
      '`fromTypeOrm` takes a DataSource of type postgres, mysql or mariadb. For SQLite, use fromDrizzle or the driver: in TypeORM, all queries of a process share the transaction.',
    );
  }
  const hasLimit = type !== 'postgres' || Number(connectTimeoutMS ?? extra?.connectionTimeoutMillis) > 0;
  warnWithoutLimit(dataSource, hasLimit, 'connectTimeoutMS', 'new DataSource({ …, connectTimeoutMS: 5000 })');

  function createRunner(): QueryRunnerLike<Manager> {
    // `initialize` creates the pool, so it may be another one each time.
    if (dialect === 'postgres') ignoreConnectionErrors(Reflect.get(dataSource.driver ?? {}, 'master'));
    return dataSource.createQueryRunner();
  }

  return {
    dialect,
    async run(statement, timeoutMs) {
      const runner = createRunner();
      return runOn((await runner.connect()) as RawConnection, () => runner.release(), statement, timeoutMs);
    },
    async transaction(work, options) {
      const runner = createRunner();
      const connection = (await runner.connect()) as RawConnection;
      const { isolationLevel } = options;
      const steps = {
        async begin() {
          await runner.startTransaction(isolationLevel?.toUpperCase() as Uppercase<IsolationLevel> | undefined);
          return runner.manager;
        },
        async commit() {
          // The handler may have left transactions within it open.
          do await runner.commitTransaction();
          while (runner.isTransactionActive);
        },
        async rollback() {
          while (runner.isTransactionActive) await runner.rollbackTransaction();
        },
        release: () => runner.release(),
        isEnded: () => runner.isReleased || !runner.isTransactionActive,
      };
      await transactionOn(connection, dialect, steps, work, options);
    },
  };
}
