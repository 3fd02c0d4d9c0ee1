// D1 as `wrangler dev` has it: in workerd, with its data in a folder.
import { createRequire } from 'node:module';
import { type D1DatabaseLike, fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';

/** The part of Miniflare that the example uses. */
interface Workerd {
  readonly ready: Promise<unknown>;
  getD1Database(binding: string): Promise<D1DatabaseLike>;
  dispose(): Promise<void>;
}

const { Miniflare }: { Miniflare: new (options: object) => Workerd } = createRequire(
  new URL('../../../test/runtimes/package.json', import.meta.url),
)('miniflare');

/** Starts workerd with a Worker, and with the database of a folder as its binding `DB`. */
export function startWorkerd(folder: string, options: object): Workerd {
  return new Miniflare({
    modules: true,
    compatibilityDate: '2026-04-01',
    d1Databases: { DB: 'webhooks' },
    d1Persist: folder,
    ...options,
  });
}

/** Runs workerd for work on the database. */
export async function withDatabase<T>(folder: string, work: (database: D1DatabaseLike) => Promise<T>): Promise<T> {
  const workerd = startWorkerd(folder, { script: 'export default {};' });
  try {
    return await work(await workerd.getD1Database('DB'));
  } finally {
    await workerd.dispose();
  }
}

/** Creates the tables: `wrangler d1 migrations apply`, with the statements of `sqlDdl({ dialect: 'sqlite' })`. */
export async function migrate(database: D1DatabaseLike): Promise<void> {
  await sqlStore({ db: fromD1(database) }).migrate();
  await database.prepare('CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, event_id TEXT NOT NULL)').all();
}
