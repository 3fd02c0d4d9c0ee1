/** The databases whose SQL the store speaks. MySQL includes MariaDB. */
export type Dialect = 'postgres' | 'mysql' | 'sqlite';

export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/** The rows of a statement, and where the client counts them, how many rows an INSERT wrote. */
export interface Answer {
  readonly rows: readonly object[];
  readonly changed?: number | undefined;
}

/**
 * Runs one statement. A client that can close connections closes one without an answer after `timeoutMs`. Only the
 * statements for a `LeaseDatabase` have parameters, with one of the `values` each.
 */
export type Run = (statement: string, timeoutMs?: number, values?: readonly string[]) => Promise<Answer>;

/** An open transaction. */
export interface Transaction<Tx = unknown> {
  /** The handler's `context.tx`. */
  readonly tx: Tx;
  readonly run: Run;
  /**
   * Makes `tx` refuse every further statement, and reports the first of them; absent if the client has no way. `run` still
   * works.
   */
  readonly close?: ((report?: (error: unknown) => void) => void) | undefined;
  /** Closes its connection, after which neither the handler nor the client can reach it; absent if the client has no way. */
  readonly destroy?: (() => void) | undefined;
  /**
   * Ends the transaction with one message, whose text ends with COMMIT. The server stops at the first statement that fails.
   * Absent if the client can only commit after `work` has resolved.
   */
  readonly commit?: ((text: string) => Promise<void>) | undefined;
}

export interface TransactionOptions {
  /** (Default: the database's.) */
  readonly isolationLevel?: IsolationLevel | undefined;
  /** How long the client may take to open it, in ms. */
  readonly timeoutMs: number;
  /** How long it may stay open, in ms. */
  readonly leaseMs: number;
}

/** A client of a database: what the store needs of it. The `from…` functions create it from your own instance. */
export interface SqlDatabase<Tx = unknown> {
  readonly dialect: Dialect;
  /** Runs a statement by itself. */
  readonly run: Run;
  /** Whether `transaction` may resolve although the server rolled back at COMMIT, so that the store looks afterwards. */
  readonly hidesRollback?: boolean | undefined;
  /**
   * Whether a late handler's transaction is aborted in place of its session: nothing of the handler reaches the connection
   * once the transaction has ended, or the client does not survive the end of a session.
   */
  readonly keepsSession?: boolean | undefined;
  /**
   * Opens a transaction and passes it to `work`. Commits when `work` resolves, unless it called `commit`; rolls back and
   * rejects when it rejects. Does not give the connection to others before `work` has settled.
   */
  transaction(work: (transaction: Transaction<Tx>) => Promise<void>, options: TransactionOptions): Promise<void>;
}

/** A SQLite database on a server that offers no interactive transactions. */
export interface LeaseDatabase {
  readonly dialect: 'sqlite';
  /** Runs a statement by itself. */
  readonly run: Run;
}

/** A synchronous connection to a SQLite file. */
export interface SynchronousDatabase<Connection> {
  readonly dialect: 'sqlite';
  readonly connection: Connection;
  /**
   * Runs a statement and returns its rows. A statement with `values`, even an empty list, is prepared once and must not be
   * able to be busy.
   */
  runNow(statement: string, values?: readonly (string | number)[]): readonly object[];
  /** Whether other code has a transaction open on the connection, or has closed it. */
  state(): 'free' | 'in a transaction' | 'closed';
}

/** The values of a row by position, because clients may rename columns. */
export function valuesOf(row: object): string[] {
  return Object.values(row).map(String);
}
