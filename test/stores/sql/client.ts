import { onTestFinished } from 'vitest';
import {
  type Dialect,
  type SqlDatabase,
  type SqlLeaseStore,
  type SqlStore,
  type SqlStoreOptions,
  sqlStore,
} from '../../../src/stores/sql/index.js';
import { nothing } from '../../contracts/store-helpers.js';
import { startMariadb } from '../../servers/mariadb.js';
import { startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { useServer } from '../../servers/use-server.js';

export type Row = Record<string, unknown>;
/** Runs a statement in the transaction of a handler. */
export type Run = (text: string) => Promise<unknown>;

/** A client or ORM of a database. The suites run with each. */
export interface SqlClient {
  /** Its `from…` function, and what it is used with. */
  readonly title: string;
  readonly dialect: Dialect;
  /** Its statement that begins a transaction. (Default: BEGIN.) */
  readonly begin?: string;
  /** Whether it connects by the `from…` function of its driver, which has been tested for leases and connecting. */
  readonly connectsByDriver?: boolean;
  /** Whether its transactions run one after another. (Default: false.) */
  readonly isSerial?: boolean;
  /** Whether it rolls back after an error that the handler has caught. (Default: false.) */
  readonly hasOwnSavepoints?: boolean;
  /** Whether it waits for a server that never answers until the operating system gives the connection up. (Default: false.) */
  readonly keepsSilent?: boolean;
  /** Whether it loses a place of its pool when the connection breaks at BEGIN. (Default: false.) */
  readonly losesAtBegin?: boolean;
  /** Whether it ends the process, perhaps, when a connection breaks while it writes. (Default: false.) */
  readonly crashes?: boolean;
  /** Whether it refuses what comes after the transaction itself, so that the store does not notice. (Default: false.) */
  readonly refusesItself?: boolean;
  /** Whether the store closes its connections. (Default: false.) */
  readonly isClosed?: boolean;
  open(url: string, settings: ClientSettings): OpenClient | Promise<OpenClient>;
}

export interface ClientSettings {
  /** Connections of the pool. (Default: 10.) */
  readonly max?: number;
  /** Behind a pooler in transaction mode, as the client's documentation asks for it. */
  readonly isPooled?: boolean;
  /** Settings of every session, such as `statement_timeout`. */
  readonly session?: Readonly<Record<string, string>>;
}

export interface OpenClient {
  // biome-ignore lint/suspicious/noExplicitAny: each client has its own type of transactions
  readonly db: SqlDatabase<any>;
  /** Runs a statement in a transaction, as its handler would. */
  // biome-ignore lint/suspicious/noExplicitAny: each client has its own type of transactions
  runIn(tx: any, text: string): Promise<unknown>;
  /** Runs a statement on the pool, beside the store. */
  run(text: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

type StoreSettings = Omit<SqlStoreOptions<unknown>, 'db' | 'transactional'>;

/** A client with the stores on it. */
export type Opened = Awaited<ReturnType<typeof openClient>>;

/** Opens a client. Closed after the test. */
export async function openClient(client: SqlClient, url: string, settings: ClientSettings = {}) {
  const { db, run, runIn, close } = await client.open(url, settings);
  // An attempt to connect that is still under way rejects it.
  onTestFinished(() => close().catch(nothing));
  return {
    run,
    lease: (options?: StoreSettings): SqlLeaseStore => sqlStore({ db, ...options }),
    /** A transactional store whose handlers get a function that runs statements in their transaction. */
    transactional(options?: StoreSettings): SqlStore<Run> {
      const store = sqlStore({ db, transactional: true, ...options });
      const inTx = (tx: unknown) => (text: string) => runIn(tx, text);
      return {
        ...store,
        once: (keys, step, work, limit) => store.once(keys, step, (fresh, tx) => work(fresh, inTx(tx)), limit),
      };
    },
  };
}

const SERVERS = { postgres: startPostgres, mysql: startMariadb };

/** A server for the tests of a describe, with the store's table and `effects`, a table for handlers. */
export type SqlServer = ReturnType<typeof useSqlServer>;

async function prepare(client: SqlClient, url: string): Promise<void> {
  const direct = await openClient(client, url);
  await direct.lease().migrate();
  await direct.run('CREATE TABLE effects (id varchar(200) NOT NULL)');
  // Of the sessions that are opened from now on. (Default: a second.)
  if (client.dialect === 'postgres') await direct.run(`ALTER ROLE CURRENT_USER SET deadlock_timeout = '50ms'`);
}

export function useSqlServer(dialect: 'postgres' | 'mysql') {
  const server = useServer<TestServer>(SERVERS[dialect]);
  let prepared: Promise<void> | undefined;
  return {
    server,
    /** Opens a client of the server, or of a proxy to it. Closed after the test. */
    async open(client: SqlClient, settings?: ClientSettings, port = server().port) {
      const { url, port: own } = server();
      prepared ??= prepare(client, url);
      await prepared;
      return openClient(client, url.replace(`:${own}/`, `:${port}/`), settings);
    },
  };
}

/** The name of the database. */
export const databaseOf = ({ server }: SqlServer) => new URL(server().url).pathname.slice(1);

/** A handler that writes the effect of an event. */
export const write = (id: string) => (run: Run) => run(`INSERT INTO effects VALUES ('${id}')`).then(nothing);

/** How often an effect was written. */
export const countOf = async ({ run }: Opened, id: string) =>
  (await run(`SELECT id FROM effects WHERE id = '${id}'`)).length;

export const ERR_STORE = { code: 'ERR_WEBHOOK_STORE' };
export const ERR_UNKNOWN = { code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' };
