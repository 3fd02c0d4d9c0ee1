import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Dialect, RunStatement, SqlDatabase } from '../database.js';

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
 * Prisma cannot close a connection that no longer answers: give `PrismaPg` a `query_timeout`, and `PrismaMariaDb` a
 * `socketTimeout`, longer than your slowest query.
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
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for other databases.
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
  return {
    dialect,
    // Prisma refuses statements once the transaction has ended.
    keepsSession: true,
    run: runOn(prisma),
    transaction: (work, { isolationLevel, timeoutMs, leaseMs }) =>
      prisma.$transaction((tx) => work({ tx, run: runOn(tx) }), {
        maxWait: timeoutMs,
        // Longer than the store's own deadline.
        timeout: Math.min(leaseMs + timeoutMs, LONGEST_MS),
        ...(isolationLevel && { isolationLevel: ISOLATION_LEVELS[isolationLevel] }),
      }),
  };
}

function runOn(prisma: Raw): RunStatement {
  return async (statement) =>
    /^\s*(SELECT|WITH)\b|\bRETURNING\b/.test(statement)
      ? { rows: (await prisma.$queryRawUnsafe(statement)) as object[] }
      : { rows: [], changed: await prisma.$executeRawUnsafe(statement) };
}
