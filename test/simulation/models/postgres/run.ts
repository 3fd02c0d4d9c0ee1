import { PostgresError } from './errors.js';
import type { Table } from './heap.js';
import type { Isolation, Transaction } from './transaction.js';
import type { Row, Value } from './values.js';

/** What a statement waits for: the end of another transaction, or a time that passes. */
export type Wait = { readonly holder: Transaction } | { readonly sleepMs: number };

/** Thrown where an expression has to wait. The statement starts again afterwards; its locks are kept. */
export class Restart {
  readonly wait: Wait;
  constructor(wait: Wait) {
    this.wait = wait;
  }
}

/** What expressions use of the server. */
export interface ServerPart {
  readonly version: number;
  now(): number;
  /** Gives the transaction its id. */
  idOf(transaction: Transaction): number;
  hashOf(text: string, seed: Value): bigint;
  /** The open transaction that holds the advisory lock; otherwise it is given to the one that asks. */
  lockAdvisory(key: bigint, transaction: Transaction): Transaction | undefined;
  /** The table of that name in the first schema of the path that has one. */
  resolve(name: string, searchPath: string): Table | undefined;
  createTable(name: string, table: (name: string, oid: number) => Table): void;
  activity(): Row[];
  signal(pid: number, kind: 'cancel' | 'terminate', sender: number): boolean;
  tables(): Iterable<Table>;
}

/** What expressions use of the session. */
export interface SessionPart {
  readonly pid: number;
  setting(name: string): string | undefined;
  settings(): Iterable<readonly [string, string]>;
  set(name: string, value: string, isLocal: boolean): string;
}

/** One execution of a statement. */
export interface Run {
  readonly server: ServerPart;
  readonly session: SessionPart;
  readonly transaction: Transaction;
  readonly literals: readonly string[];
  /** `statement_timestamp()` */
  readonly arrivedAt: number;
  /** What it sees. */
  readonly snapshot: number;
  /** The answers of its WITH queries. */
  readonly named: Map<string, readonly Row[]>;
  /** The answers of subqueries that do not depend on the row. */
  readonly once: Map<object, Value | readonly Row[]>;
  /** How often a column of an outer query was read. */
  outerReads: number;
  /** Calls of pg_sleep: begun since the (re)start, and over. */
  sleeps: number;
  slept: number;
}

export const keepsSnapshot = (isolation: Isolation) => isolation !== 'read committed';

/** The rows that an expression is about. */
export interface Scope {
  readonly run: Run;
  readonly outer: Scope | undefined;
  readonly aliases: readonly string[];
  readonly rows: readonly Row[];
  /** For aggregates: the rows of the group. */
  readonly group?: readonly Scope[] | undefined;
}

export function columnOf(scope: Scope, table: string | undefined, name: string): Value {
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    let found: Value | undefined;
    for (let index = 0; index < at.aliases.length; index++) {
      if (table !== undefined && at.aliases[index] !== table) continue;
      const value = at.rows[index]?.[name];
      if (value === undefined) continue;
      if (found !== undefined) throw new PostgresError('42702', `column reference "${name}" is ambiguous`);
      found = value;
    }
    if (found === undefined) continue;
    if (at !== scope) scope.run.outerReads++;
    return found;
  }
  throw unknownColumn(table, name);
}

export function unknownColumn(table: string | undefined, name: string): PostgresError {
  const what = table === undefined ? `"${name}"` : `${table}.${name}`;
  return new PostgresError('42703', `column ${what} does not exist`);
}

/** An expression. */
export interface Expression {
  /** Of its column in an answer. */
  readonly name: string;
  /** Whether a CASE or a cast around it has its own name. */
  readonly isWeak?: boolean;
  evaluate(scope: Scope): Value;
}
