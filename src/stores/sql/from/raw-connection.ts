import {
  type Answer,
  type Dialect,
  type Run,
  type Transaction,
  type TransactionOptions,
  valuesOf,
} from '../database.js';
import { isConflict } from '../dialect.js';
import { endedError } from '../outcome.js';
import { isAnswer as isMysqlAnswer } from './mysql2.js';
import { isAnswer as isPgAnswer } from './pg.js';
import { pooled, refuse, runOnce } from './pooled.js';
import { SESSION } from './postgres-session.js';
import { socketOf } from './socket.js';

/** A connection of pg or of mysql2 with callbacks, which Knex and TypeORM use. */
export interface RawConnection {
  query(text: string, callback: (error: unknown, result: unknown) => void): unknown;
}

/** How the statements begin with which an ORM ends a transaction, or one within it that the handler left open. */
const ENDING = /^(COMMIT|ROLLBACK|RELEASE)/;

/** Gives a connection back to the pool of an ORM, which drops one that is closed. */
type Release = () => unknown;

/** What an ORM does with a connection. */
export interface ConnectionSteps<Tx> {
  begin(): Promise<Tx>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
  readonly release: Release;
  /** Whether the handler ended the transaction by a method of the ORM, so that others may have the connection. */
  isEnded(): boolean;
}

/** What the sessions were like before the first handler. */
const sessions = new WeakMap<RawConnection, string>();

/** Runs a statement by itself, on a connection that an ORM took from its pool. */
export function runOn(
  connection: RawConnection,
  release: Release,
  statement: string,
  timeoutMs?: number,
): Promise<Answer> {
  const isAnswer = (error: unknown) => isPgAnswer(error) || isMysqlAnswer(error);
  return runOnce(open(connection, release, timeoutMs), statement, isAnswer);
}

/** Runs a transaction with the steps of an ORM. Closes the connection if the server does not answer, or the session changed. */
export async function transactionOn<Tx>(
  connection: RawConnection,
  dialect: Dialect,
  orm: ConnectionSteps<Tx>,
  work: (transaction: Transaction<Tx>) => Promise<void>,
  { timeoutMs }: TransactionOptions,
): Promise<void> {
  const gate = gateOf(connection);
  const release = () => {
    gate.open();
    return orm.release();
  };
  const { query, within, give, isGiven } = open(connection, release, timeoutMs);
  const send = sender(connection);
  const socket = socketOf(connection);
  const look = dialect === 'postgres' ? SESSION : 'SELECT @@autocommit';
  const session = async () => valuesOf((await query(look)).rows[0] as object)[0] as string;
  /** Gives the connection back if its session is what it was. */
  const tidy = async () => {
    if (isGiven()) return;
    await session().then(
      (after) => give(after !== sessions.get(connection)),
      () => give(true),
    );
  };
  try {
    if (!sessions.has(connection)) sessions.set(connection, await session());
    await work({
      tx: await within(orm.begin()),
      close: gate.close,
      hasConflict: gate.hasConflict,
      destroy: () => give(true),
      // An ORM also gives a connection back that was lost.
      run: (statement) => (orm.isEnded() && !socket.destroyed ? Promise.reject(endedError()) : send(statement)),
    });
    await orm.commit();
  } catch (error) {
    await within(orm.rollback()).then(tidy, () => give(true));
    throw error;
  }
  // Not awaited: the transaction is committed.
  void tidy();
}

function open(connection: RawConnection, release: Release, timeoutMs?: number) {
  const socket = socketOf(connection);
  return pooled(
    sender(connection),
    (destroy) => {
      // The pool notices by the event that the connection is closed. Before, it would give it to others.
      if (destroy && !socket.closed) socket.once('close', release).destroy();
      else void release();
    },
    timeoutMs,
  );
}

function sender(connection: RawConnection): Run {
  const { query } = connection;
  return (statement) =>
    new Promise((resolve, reject) => {
      query.call(connection, statement, (error, result) => (error ? reject(error) : resolve(answerOf(result))));
    });
}

/**
 * Once closed, refuses what the handler has not awaited: a statement that fails after the check would undo the transaction,
 * and the ORM would not notice, because Postgres answers COMMIT with ROLLBACK.
 */
function gateOf(connection: RawConnection) {
  const { query } = connection;
  const isOwn = Object.hasOwn(connection, 'query');
  let hasConflict = false;
  connection.query = (...args: unknown[]) => {
    const callback = args.at(-1);
    const noting = (error: unknown, ...more: unknown[]) => {
      hasConflict ||= isConflict(error);
      Reflect.apply(callback as never, undefined, [error, ...more]);
    };
    return Reflect.apply(query, connection, typeof callback === 'function' ? [...args.slice(0, -1), noting] : args);
  };
  return {
    hasConflict: () => hasConflict,
    close() {
      connection.query = (statement: unknown, ...more: unknown[]) => {
        const text = String(Object(statement).text ?? Object(statement).sql ?? statement);
        return ENDING.test(text) ? Reflect.apply(query, connection, [statement, ...more]) : refuse(more.at(-1));
      };
    },
    open() {
      if (isOwn) connection.query = query;
      else Reflect.deleteProperty(connection, 'query');
    },
  };
}

/** The answer in a result of pg or mysql2. */
function answerOf(result: unknown): Answer {
  if (Array.isArray(result)) return { rows: result };
  const { rows = [], rowCount, affectedRows } = result as Result;
  return { rows, changed: rowCount ?? affectedRows };
}

interface Result {
  readonly rows?: object[];
  readonly rowCount?: number | null;
  readonly affectedRows?: number;
}
