import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import { storeError } from '../../bounded-calls.js';
import { type Answer, type SqlDatabase, valuesOf } from '../database.js';
import { ABORTED } from '../postgres.js';
import { guarded, type Pooled, pooled, refuse, runOnce } from './pooled.js';
import { isPlain, SESSION, SESSION_AFTER_PLAIN } from './postgres-session.js';
import { warnWithoutLimit } from './warning.js';

/** The part of a connection from a pg Pool that the store uses. */
export interface PgClientLike {
  query(text: string): Promise<unknown>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  listeners(event: 'error'): unknown[];
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
 * Takes a Pool of pg for `sqlStore`. In a transaction `context.tx` is its connection (`PoolClient`), which works until the
 * handler settles. A connection that does not answer in time, or whose session a handler has changed (`SET` without
 * `LOCAL`, temporary tables, `PREPARE`, `LISTEN`), is closed. Locks of the session are released.
 * Postgres does not show custom settings: set them with `SET LOCAL app.tenant = …`.
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
  /** What the sessions were like before the first handler. */
  const sessions = new WeakMap<Client, Readonly<Record<string, string>>>();

  return {
    dialect: 'postgres',
    run: async (statement, timeoutMs) => runOnce(open(await connected(pool), timeoutMs), statement, isAnswer),
    async transaction(work, { isolationLevel, timeoutMs }) {
      const client = await connected(pool);
      const { query, give, isGiven } = open(client, timeoutMs);
      const session = async (text: string) => firstOf(await query(text));
      let look: typeof SESSION | typeof SESSION_AFTER_PLAIN = SESSION_AFTER_PLAIN;
      /** Gives the connection back if its session is what it was. */
      const tidy = () =>
        session(look).then(
          (after) => give(after !== sessions.get(client)?.[look]),
          () => give(true),
        );
      // The store limits these, and says what their lateness means.
      const plain = open(client).query;
      let isClosed = false;
      let isCommitted = false;
      let beforeOther: (() => unknown) | undefined;
      /** What the store sends before a statement of the handler: pg 9 takes one at a time. */
      let pending: Promise<unknown> | undefined;
      const isOver = () => isClosed || isGiven();
      // Sent with the first statement, which saves a round trip.
      let begin = isolationLevel ? `BEGIN ISOLATION LEVEL ${isolationLevel}; ` : 'BEGIN; ';
      try {
        if (!sessions.has(client)) {
          const before = {
            [SESSION]: await session(SESSION),
            [SESSION_AFTER_PLAIN]: await session(SESSION_AFTER_PLAIN),
          };
          sessions.set(client, before);
        }
        await work({
          tx: guarded(
            client,
            isOver,
            (name, argument) => {
              if (name === 'query' ? isPlain(argument) : HARMLESS.has(name)) return;
              if (name === 'query') look = SESSION;
              if (!beforeOther) return;
              pending = Promise.resolve(beforeOther());
              beforeOther = undefined;
              void pending.then(() => {
                pending = undefined;
              });
            },
            (_name, send, args) => (pending ? sendAfter(pending, isOver, send, args) : send()),
          ),
          watch: {
            beforeOther(work) {
              beforeOther = work;
            },
            hasFailed: async () => undefined,
          },
          run(statement) {
            const text = begin + statement;
            begin = '';
            return plain(text);
          },
          close() {
            isClosed = true;
          },
          destroy: () => give(true),
          async commit(text) {
            const isCheap = look === SESSION_AFTER_PLAIN;
            const answers = await send(client, isCheap ? `${text}; ${look}` : text);
            const committed = isCheap ? answers.at(-2) : answers.at(-1);
            if (committed?.command !== 'COMMIT') throw storeError(ABORTED);
            isCommitted = true;
            if (isCheap) give(firstOf(answers.at(-1)) !== sessions.get(client)?.[look]);
          },
        });
        // Postgres answers COMMIT with ROLLBACK if a statement failed after the check.
        if (!isCommitted && (await plain('COMMIT')).command !== 'COMMIT') throw storeError(ABORTED);
      } catch (error) {
        if (!isGiven()) await query('ROLLBACK').then(tidy, () => give(true));
        throw error;
      }
      // Not awaited, and after the answer to the delivery: the transaction is committed.
      if (!isGiven()) setImmediate(tidy);
    },
  };
}

/** A connection that was taken from the pool. */
function open(client: PgClientLike, timeoutMs?: number): Pooled<PgAnswer> {
  function release(destroy: boolean): void {
    const before = client.listeners('error');
    client.release(destroy);
    if (!destroy) {
      client.removeListener('error', ignore);
      return;
    }
    // What breaks while it is closed on purpose, perhaps because the server terminates it, is not an error of the pool, which
    // would end the process if nobody listens.
    for (const listener of client.listeners('error')) {
      if (!before.includes(listener)) client.removeListener('error', listener as () => void);
    }
  }
  return pooled(async (text) => (await send(client, text)).at(-1) as PgAnswer, release, timeoutMs);
}

/** Calls a method of the connection later, if the handler may still use it, and returns what the method returns. */
function sendAfter(before: Promise<unknown>, isOver: () => boolean, send: () => unknown, args: readonly unknown[]) {
  const callback = args.at(-1);
  const sent = before.then(() => (isOver() ? refuse(callback) : send()));
  if (typeof callback === 'function') return undefined;
  // A query of its own kind, such as a cursor.
  return typeof Object(args[0]).submit === 'function' ? args[0] : sent;
}

/** What neither sends a statement nor gives access to the connection. */
const HARMLESS = new Set<PropertyKey>(['on', 'once', 'off', 'removeListener', 'escapeIdentifier', 'escapeLiteral']);

interface PgAnswer extends Answer {
  readonly command: string;
}

/** The answers to the statements of one message. */
async function send(client: PgClientLike, text: string): Promise<PgAnswer[]> {
  const results = [await client.query(text)].flat() as { rows: object[]; rowCount: number | null; command: string }[];
  return results.map(({ rows, rowCount, command }) => ({ rows, changed: rowCount ?? undefined, command }));
}

/** The value of an answer that has one. */
function firstOf(answer: Answer | undefined): string {
  return valuesOf((answer as Answer).rows[0] as object)[0] as string;
}

/**
 * A connection that is listened to: one that breaks emits `error`, which ends the process if nobody listens. It may break
 * in the turn in which the pool gives it out, before a promise is settled.
 */
function connected<Client extends PgClientLike>(pool: PgPoolLike<Client>): Promise<Client> {
  return new Promise((resolve, reject) => {
    void pool.connect((error, client) => {
      client?.on('error', ignore);
      if (client) resolve(client);
      else reject(error);
    });
  });
}

/** Whether the server answered with the error, so that the connection works. */
export function isAnswer(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error;
}

function checkPool(pool: unknown): void {
  // A Client has these methods, too, but no Pool does.
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

function ignore(): void {}
