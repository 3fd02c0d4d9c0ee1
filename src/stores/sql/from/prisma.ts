import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Dialect, Run, SqlDatabase } from '../database.js';
import { ignoreConnectionErrors } from './pool-errors.js';
import { LIMITS, warnWithoutLimit } from './warning.js';

interface Raw {
  $queryRawUnsafe(query: string): PromiseLike<unknown>;
  $executeRawUnsafe(query: string): PromiseLike<number>;
}

/** The part of a Prisma client that the store uses. */
export interface PrismaLike<Tx> extends Raw {
  $transaction(work: (tx: Tx) => Promise<void>, options: object): Promise<void>;
}

const DIALECTS: Readonly<Record<string, Dialect>> = { postgresql: 'postgres', mysql: 'mysql' };
const ISOLATION_LEVELS = {
  'read committed': 'ReadCommitted',
  'repeatable read': 'RepeatableRead',
  serializable: 'Serializable',
};

/** The longest delay of a timer, in ms. */
const LONGEST_MS = 2_147_483_647;

/**
 * Takes a Prisma client for `sqlStore`, of PostgreSQL or MySQL, extended or not. In a transaction `context.tx` is Prisma's
 * own (`Prisma.TransactionClient`), whose time limits follow `leaseMs` and `timeoutMs` of the store.
 *
 * It listens for the errors of connections that Prisma opens afterwards, since one without a listener ends the process: call
 * it before the client's first query.
 *
 * It does not undo what a handler changes in its session, and it does not close connections that no longer answer: Prisma
 * does not show them. For `PrismaMariaDb`, set `socketTimeout` to more than your slowest query takes.
 *
 * @example
 * ```ts
 * import { PrismaPg } from '@prisma/adapter-pg';
 * import { PrismaClient } from '@prisma/client';
 * import { fromPrisma, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const connectionString = process.env.DATABASE_URL;
 * const adapter = new PrismaPg({ connectionString, connectionTimeoutMillis: 5000, query_timeout: 30_000 });
 * const store = sqlStore({ db: fromPrisma(new PrismaClient({ adapter })), transactional: true });
 * ```
 * @param prisma Your client. The store neither connects nor disconnects it.
 * @param options `dialect`, for a client that does not show its provider.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for other databases. A `PrismaPg` without
 * `connectionTimeoutMillis` and `query_timeout` is warned of.
 */
export function fromPrisma<Tx extends Raw>(
  prisma: PrismaLike<Tx>,
  options: { readonly dialect?: 'postgres' | 'mysql' | undefined } = {},
): SqlDatabase<Tx> {
  if (!hasMethods<PrismaLike<Tx>>(prisma, '$queryRawUnsafe', '$executeRawUnsafe', '$transaction')) {
    throw optionError('prisma', 'a PrismaClient', prisma);
  }
  const provider: unknown = Reflect.get(prisma, '_activeProvider');
  if (provider === 'sqlite') {
    throw new ConfigError(
      '`fromPrisma` takes clients of PostgreSQL and MySQL. For SQLite, use fromDrizzle or the driver.',
    );
  }
  const dialect = options.dialect ?? DIALECTS[String(provider)];
  if (dialect !== 'postgres' && dialect !== 'mysql') {
    throw optionError('dialect', "'postgres' or 'mysql'", options.dialect);
  }
  const adapter = adapterOf(prisma);
  checkAdapter(adapter);
  ignoreErrors(adapter);
  return {
    dialect,
    run: runOn(prisma),
    transaction: (work, { isolationLevel, timeoutMs, leaseMs }) =>
      prisma.$transaction((tx) => work({ tx, run: runOn(tx), close }), {
        maxWait: timeoutMs,
        // Later than the store's own deadline.
        timeout: Math.min(leaseMs + timeoutMs, LONGEST_MS),
        ...(isolationLevel && { isolationLevel: ISOLATION_LEVELS[isolationLevel] }),
      }),
  };
}

/** Prisma itself refuses statements once the transaction has ended. */
function close(): void {}

interface Adapter {
  readonly adapterName?: string;
  readonly config?: object;
  connect(): Promise<{ underlyingDriver?(): unknown }>;
}

function adapterOf(prisma: object): Adapter | undefined {
  return Reflect.get(Reflect.get(prisma, '_engineConfig') ?? {}, 'adapter');
}

/** Prisma cannot close a connection that no longer answers, so its driver must. */
function checkAdapter(adapter: Adapter | undefined): void {
  if (adapter?.adapterName !== '@prisma/adapter-pg' || !adapter.config) return;
  const { config } = adapter;
  const missing = ['connectionTimeoutMillis', 'query_timeout'].find((name) => !(Number(Reflect.get(config, name)) > 0));
  warnWithoutLimit(adapter, missing === undefined, missing ?? '', `new PrismaPg({ …, ${LIMITS} })`);
}

/** Listens to the connections of the pool that Prisma creates when it connects. */
function ignoreErrors(adapter: Adapter | undefined): void {
  if (!hasMethods<Adapter>(adapter, 'connect')) return;
  const { connect } = adapter;
  adapter.connect = async () => {
    const connected = await connect.call(adapter);
    ignoreConnectionErrors(connected.underlyingDriver?.());
    return connected;
  };
}

function runOn(prisma: Raw): Run {
  return async (statement) =>
    /^\s*(SELECT|WITH)\b|\bRETURNING\b/.test(statement)
      ? { rows: (await prisma.$queryRawUnsafe(statement)) as object[] }
      : { rows: [], changed: await prisma.$executeRawUnsafe(statement) };
}
