/** The SQL dialects of the store. MySQL includes MariaDB. */
export type Dialect = 'postgres' | 'mysql' | 'sqlite';

export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/** The rows of a statement and, if the client counts them, how many rows an INSERT wrote. */
export interface Answer {
  readonly rows: readonly object[];
  readonly changed?: number | undefined;
}

/**
 * Runs one statement. A client that can close connections closes a connection that did not answer within `timeoutMs`.
 * Only statements of SQLite have parameters, `?` for each of the `values`.
 */
export type RunStatement = (statement: string, timeoutMs?: number, values?: readonly string[]) => Promise<Answer>;

/** An open transaction. */
export interface Transaction<Tx = unknown> {
  /** The handler's `context.tx`. */
  readonly tx: Tx;
  readonly run: RunStatement;
  /** Makes `tx`, but not `run`, refuse further statements, and reports the first one; absent if the client cannot. */
  readonly close?: ((report?: (error: unknown) => void) => void) | undefined;
  /**
   * Closes the connection, so that the transaction is out of reach of handler and client; absent if the client cannot.
   */
  readonly destroy?: (() => void) | undefined;
  /**
   * Ends the transaction with one message, whose text ends with COMMIT. The server stops at the first statement that fails.
   * Absent if the client can only commit after `work` has resolved.
   */
  readonly commit?: ((text: string) => Promise<void>) | undefined;
}

export interface TransactionOptions {
  /** Isolation level. (Default: the database's.) */
  readonly isolationLevel?: IsolationLevel | undefined;
  /** How long the client may take to open the transaction, in ms. */
  readonly timeoutMs: number;
  /** How long the transaction may stay open, in ms. */
  readonly leaseMs: number;
}

/** A database client as the store uses it. The `from…` functions create one from your own instance. */
export interface SqlDatabase<Tx = unknown> {
  readonly dialect: Dialect;
  /** Runs a statement outside a transaction. */
  readonly run: RunStatement;
  /**
   * Whether to abort a late handler's transaction without ending its session: the handler cannot reach the connection
   * after its transaction, or the client does not survive the loss of a session.
   */
  readonly keepsSession?: boolean | undefined;
  /**
   * Opens a transaction and passes it to `work`. Commits when `work` resolves, unless it called `commit`; rolls back
   * and rejects when it rejects. Does not reuse the connection before `work` has settled.
   */
  transaction(work: (transaction: Transaction<Tx>) => Promise<void>, options: TransactionOptions): Promise<void>;
}

/** A SQLite database on a server that offers no interactive transactions. */
export interface LeaseDatabase {
  readonly dialect: 'sqlite';
  /** Runs a statement outside a transaction. */
  readonly run: RunStatement;
}

/** A synchronous connection to a SQLite file. */
export interface SynchronousDatabase<Connection> {
  readonly dialect: 'sqlite';
  readonly connection: Connection;
  /**
   * Runs a statement. With `values`, even an empty list, the statement is prepared once, must be one that cannot be busy,
   * and returns its rows.
   */
  runNow(statement: string, values?: readonly string[]): readonly object[];
  /** Whether other code has a transaction open on the connection, or has closed the connection. */
  state(): 'free' | 'in a transaction' | 'closed';
}

/** The values of a row by position, because clients may rename columns. */
export function valuesOf(row: object): string[] {
  return Object.values(row).map(String);
}
