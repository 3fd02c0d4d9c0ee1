import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Dialect, IsolationLevel, SqlDatabase } from '../database.js';
import { listenTo, warnWithoutLimit } from './clients.js';
import { fromTransaction } from './transaction.js';

interface Queries {
  query(statement: string): Promise<unknown>;
}

/** The part of a DataSource of TypeORM that the store uses. */
export interface DataSourceLike<Manager> extends Queries {
  readonly options: {
    readonly type: string;
    readonly connectTimeoutMS?: number;
    // biome-ignore lint/suspicious/noExplicitAny: as TypeORM types it
    readonly extra?: any;
  };
  readonly driver: object;
  transaction<T>(work: (manager: Manager) => Promise<T>): Promise<T>;
  transaction<T>(isolationLevel: Uppercase<IsolationLevel>, work: (manager: Manager) => Promise<T>): Promise<T>;
}

const DIALECTS: Readonly<Record<string, Exclude<Dialect, 'sqlite'>>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/**
 * Takes a DataSource of TypeORM for `sqlStore`, of type postgres, mysql or mariadb. In a transaction `context.tx` is its
 * `EntityManager`. A handler that ends the transaction itself (`tx.queryRunner`) fails. TypeORM cannot close a connection that
 * no longer answers: it stays in the pool until the operating system gives it up.
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
export function fromTypeOrm<Manager extends Queries>(dataSource: DataSourceLike<Manager>): SqlDatabase<Manager> {
  if (!hasMethods<DataSourceLike<Manager>>(dataSource, 'query', 'transaction')) {
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

  return fromTransaction<Manager>({
    dialect,
    run: (statement, manager) => (manager ?? dataSource).query(statement),
    transaction(work, { isolationLevel }) {
      // `initialize` creates the pool, so each time may see another pool.
      if (dialect === 'postgres') listenTo(Reflect.get(dataSource.driver, 'master'));
      if (isolationLevel === undefined) return dataSource.transaction(work);
      return dataSource.transaction(isolationLevel.toUpperCase() as Uppercase<IsolationLevel>, work);
    },
  });
}
