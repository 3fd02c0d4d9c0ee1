// What Sequelize does beyond statements, for the tests of the store.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Sequelize, type Transaction } from 'sequelize';
import { fromSequelize, sqlStore } from '../../../src/stores/sql/index.js';

/** An instance with one connection unless told otherwise, and its store. */
export function openSequelize(
  url: string,
  { max = 1, retry }: { max?: number; retry?: { max: number; match: RegExp[] } } = {},
) {
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    dialectOptions: { connectionTimeoutMillis: 1000, query_timeout: 2000 },
    pool: { max },
    ...(retry && { retry }),
    logging: false,
  });
  return {
    store: sqlStore({ db: fromSequelize(sequelize), transactional: true }),
    run: (text: string, tx?: Transaction) => sequelize.query(text, tx && { transaction: tx }),
    nested: (tx: Transaction) => sequelize.transaction({ transaction: tx }),
    close: () => sequelize.close(),
  };
}

/** Runs `work` with what `Sequelize.useCLS` takes, as cls-hooked implements it. */
export async function withCls(work: () => Promise<void>): Promise<void> {
  const storage = new AsyncLocalStorage<Map<string, unknown>>();
  Sequelize.useCLS({
    bind() {},
    run: (inner: (context: unknown) => unknown) => storage.run(new Map(), inner, {}),
    get: (name: string) => storage.getStore()?.get(name),
    set: (name: string, value: unknown) => storage.getStore()?.set(name, value),
  });
  await work().finally(() => Reflect.deleteProperty(Sequelize, '_cls'));
}
