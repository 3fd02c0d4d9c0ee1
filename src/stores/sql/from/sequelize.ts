import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase } from '../database.js';
import { fromPg } from './pg.js';
import { ignore } from './pool-errors.js';
import { LIMITS, warnWithoutLimit } from './warning.js';

/** The part of an instance of Sequelize 6 that the store uses. */
export interface SequelizeLike<Tx> {
  readonly connectionManager: object;
  getDialect(): string;
  transaction(options?: { readonly logging?: boolean }): Promise<Tx>;
}

/**
 * Takes an instance of Sequelize 6 for `sqlStore`, of dialect postgres. In a transaction `context.tx` is its `Transaction`:
 * pass it as the option `transaction`, or let `Sequelize.useCLS` do so. A connection that does not answer in time, or whose
 * session a handler has changed, is closed. A handler that ends the transaction itself (`tx.commit()`) fails.
 *
 * It does not take statements without the option `transaction` into the transaction: they commit by themselves. It does not
 * take MySQL: Sequelize waits without limit for the first answers of a new connection.
 *
 * @example
 * ```ts
 * import { fromSequelize, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { Sequelize } from 'sequelize';
 *
 * const dialectOptions = { connectionTimeoutMillis: 5000, query_timeout: 30_000 };
 * const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', { dialect: 'postgres', dialectOptions });
 * const store = sqlStore({ db: fromSequelize(sequelize), transactional: true });
 * ```
 * @param sequelize Your instance. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for other dialects.
 */
export function fromSequelize<Tx>(sequelize: SequelizeLike<Tx>): SqlDatabase<Tx> {
  const client = clientOf(sequelize);
  const { options, constructor: Sequelize } = Object(sequelize);
  return {
    dialect: client.dialect,
    run: client.run,
    async transaction(work, { isolationLevel = options.isolationLevel, ...limits }) {
      let afterCommit = async () => {};
      const workIn: Parameters<typeof client.transaction>[0] = async ({ tx: connection, ...transaction }) => {
        const tx = new Sequelize.Transaction(sequelize);
        // Sequelize would give the connection to others when the handler, or a deadlock, ends the transaction.
        Object.assign(tx, { connection, cleanup() {}, async forceCleanup() {} });
        afterCommit = async () => {
          for (const hook of tx._afterCommitHooks) await hook.call(tx, tx);
        };
        const close = () => {
          transaction.close?.();
          tx.finished = 'end';
        };
        await Sequelize._clsRun(() => {
          // With `useCLS`, statements without the option `transaction` are part of it, too.
          Sequelize._cls?.set('transaction', tx);
          return work({ ...transaction, tx, close });
        });
      };
      await client.transaction(workIn, { ...limits, isolationLevel });
      await afterCommit();
    },
  };
}

/** The function of the driver, with the connections that Sequelize has set up. */
function clientOf(sequelize: SequelizeLike<unknown>): SqlDatabase<object> {
  const { connectionManager: manager, options = {} } = Object(sequelize);
  if (
    !hasMethods<SequelizeLike<unknown>>(sequelize, 'getDialect', 'transaction') ||
    !hasMethods<Manager>(manager, 'getConnection', 'releaseConnection', 'destroyConnection')
  ) {
    throw optionError('sequelize', 'an instance of Sequelize 6', sequelize);
  }
  if (options.native || sequelize.getDialect() !== 'postgres') {
    throw new ConfigError(
      '`fromSequelize` takes instances of dialect postgres, not native. For MySQL and SQLite, use fromDrizzle or the driver.',
    );
  }
  // Sequelize asks a new connection for its types, and sets no time limit.
  const missing = ['connectionTimeoutMillis', 'query_timeout'].find(
    (name) => !(Number(options.dialectOptions?.[name]) > 0),
  );
  warnWithoutLimit(
    manager,
    missing === undefined,
    missing ?? '',
    `new Sequelize({ …, dialectOptions: { ${LIMITS} } })`,
  );
  listenToConnections(manager);
  const pool = {
    // Warned of above.
    options: { connectionTimeoutMillis: 1 },
    query() {},
    connect(done: (error?: unknown, connection?: object) => void) {
      void manager.getConnection({ type: 'write' }).then((connection: object) => {
        const release = (destroy?: boolean) => {
          if (destroy) manager.destroyConnection(connection).catch(() => {});
          else manager.releaseConnection(connection);
        };
        done(undefined, Object.assign(connection, { release }));
      }, done);
    },
  };
  return fromPg(pool as never);
}

/** Sequelize listens to the errors of a new connection a promise turn too late. One would end the process. */
function listenToConnections(manager: Manager): void {
  class Client extends manager.lib.Client {
    constructor(...args: unknown[]) {
      super(...args);
      this.on('error', ignore);
    }
  }
  manager.lib = Object.create(manager.lib, { Client: { value: Client } });
}

interface Manager {
  lib: { Client: new (...args: unknown[]) => { on(event: 'error', listener: () => void): unknown } };
  getConnection(options: { readonly type: 'write' }): Promise<object>;
  releaseConnection(connection: object): void;
  destroyConnection(connection: object): Promise<void>;
}
