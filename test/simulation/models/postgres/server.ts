import { canceled, terminated } from './errors.js';
import type { Table, Version } from './heap.js';
import type { Host } from './host.js';
import { Session } from './session.js';
import { DEFAULT_PATH, defaultsOf } from './settings.js';
import { isGone, type Transaction } from './transaction.js';
import { clientRow, type Row, type Value } from './values.js';

/** Far from the keys that people choose. */
const FIRST_HASH = 2n ** 48n;

export type { PostgresError } from './errors.js';
export type { Done, Result, Session } from './session.js';

export interface Options {
  /** (Default: 18.) */
  readonly version?: number;
  /** For time limits, in ms. (Default: the wall clock.) */
  readonly monotonic?: () => number;
  /** Which of several sessions that can continue does so first, 0 for the one that has waited longest. (Default: that.) */
  readonly choose?: (ready: number) => number;
}

/**
 * A Postgres server that runs the text of SQL statements. It models: committed rows and versions of open transactions;
 * READ COMMITTED, REPEATABLE READ, and SERIALIZABLE as REPEATABLE READ; waits for row locks, unique keys and advisory locks
 * of transactions, in the order in which they began, and deadlocks; savepoints, failed transactions, messages of several
 * statements; settings and time limits; cancelling and terminating other sessions.
 *
 * Statements take no time. Signals to other sessions take effect after the message that sends them.
 *
 * It leaves out: the serialization failures that only SERIALIZABLE has; plans, so that rows without ORDER BY come as they were written; indexes other than unique keys; locks of
 * sessions and tables; all types, functions and statements that the stores and their tests do not use, which are refused by
 * name. Creating a table is not undone by a rollback.
 */
export class PostgresServer implements Host {
  readonly version: number;
  /** Commits so far. */
  commits = 0;
  readonly #clock: () => number;
  readonly #monotonic: () => number;
  readonly #choose: (ready: number) => number;
  readonly #defaults: ReadonlyMap<string, string>;
  readonly #sessions = new Map<number, Session>();
  readonly #tables = new Map<string, Table>();
  readonly #advisory = new Map<bigint, Transaction>();
  readonly #hashes = new Map<string, bigint>();
  readonly #committed = new Map<Table, { readonly generation: number; readonly rows: readonly object[] }>();
  #pids = 0;
  #ids = 700;
  #oids = 16_384;
  /** Versions that a snapshot may still see. */
  #dead: Version[] = [];
  readonly #ready: (() => void)[] = [];
  #isEntered = false;

  constructor(clock: () => number, options: Options = {}) {
    this.version = options.version ?? 18;
    this.#clock = clock;
    this.#monotonic = options.monotonic ?? clock;
    this.#choose = options.choose ?? (() => 0);
    this.#defaults = defaultsOf(this.version);
  }

  connect(): Session {
    const session = new Session(++this.#pids, this, this.#defaults);
    this.#sessions.set(session.pid, session);
    return session;
  }

  /** When a time limit is over or a deadlock is looked for, in ms of the monotonic clock. */
  nextWake(): number | undefined {
    let first: number | undefined;
    for (const session of this.#sessions.values()) {
      const at = session.wakeAt();
      if (at !== undefined && (first === undefined || at < first)) first = at;
    }
    return first;
  }

  /** Does what is due. */
  wake(): void {
    for (const session of [...this.#sessions.values()]) session.wake();
  }

  /** The committed rows, as pg shows them. The list is the same until a commit changes the table. */
  table(name: string): readonly object[] {
    const table = this.resolve(name, DEFAULT_PATH);
    if (!table) return [];
    const known = this.#committed.get(table);
    if (known?.generation === table.generation) return known.rows;
    const versions = [...table.versions].filter((each) => each.writer?.status === 'committed' && !isGone(each));
    const rows = versions.map(({ values }) => clientRow(values));
    this.#committed.set(table, { generation: table.generation, rows });
    return rows;
  }

  now(): number {
    return this.#clock();
  }

  monotonic(): number {
    return this.#monotonic();
  }

  enter(act: () => void): void {
    if (this.#isEntered) {
      act();
      return;
    }
    this.#isEntered = true;
    try {
      act();
      while (this.#ready.length > 0) for (const next of this.#ready.splice(this.#choose(this.#ready.length), 1)) next();
    } finally {
      this.#isEntered = false;
    }
  }

  soon(act: () => void): void {
    this.#ready.push(act);
  }

  idOf(transaction: Transaction): number {
    transaction.id ??= ++this.#ids;
    return transaction.id;
  }

  /** Distinct for distinct texts, unlike the real one. */
  hashOf(text: string, seed: Value): bigint {
    const name = `${seed} ${text}`;
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const hash = FIRST_HASH + BigInt(this.#hashes.size);
    this.#hashes.set(name, hash);
    return hash;
  }

  lockAdvisory(key: bigint, transaction: Transaction): Transaction | undefined {
    const holder = this.#advisory.get(key);
    if (holder) return holder === transaction ? undefined : holder;
    this.#advisory.set(key, transaction);
    transaction.advisory.push(key);
    return undefined;
  }

  unlock({ advisory }: Transaction, kept: number): void {
    while (advisory.length > kept) {
      const key = advisory.pop();
      if (key !== undefined) this.#advisory.delete(key);
    }
  }

  end(transaction: Transaction, isCommitted: boolean): void {
    transaction.status = isCommitted ? 'committed' : 'aborted';
    if (isCommitted) transaction.committedAs = ++this.commits;
    this.unlock(transaction, 0);
    for (const { version, mark } of transaction.changes) {
      if (!isCommitted && mark === undefined) version.table.remove(version);
      if (!isCommitted) continue;
      version.table.generation++;
      if (isGone(version)) this.#dead.push(version);
    }
    this.#vacuum();
    transaction.wake();
  }

  #vacuum(): void {
    if (this.#dead.length === 0) return;
    for (const session of this.#sessions.values()) if (session.hasSnapshot) return;
    for (const version of this.#dead) version.table.remove(version);
    this.#dead = [];
  }

  resolve(name: string, searchPath: string): Table | undefined {
    const bare = name.includes('"') ? name.replaceAll('"', '') : name;
    if (bare.includes('.')) return this.#tables.get(bare);
    if (searchPath === DEFAULT_PATH) return this.#tables.get(`public.${bare}`);
    for (const schema of searchPath.split(',')) {
      const table = this.#tables.get(`${schema.trim().replaceAll('"', '')}.${bare}`);
      if (table) return table;
    }
    return undefined;
  }

  createTable(name: string, table: (name: string, oid: number) => Table): void {
    const full = name.includes('.') ? name : `public.${name}`;
    this.#tables.set(full, table(full, this.#oids++));
  }

  tables(): Iterable<Table> {
    return this.#tables.values();
  }

  activity(): Row[] {
    return [...this.#sessions.values()].map(({ pid, state, transactionId }) => ({
      pid,
      state,
      backend_xid: transactionId === undefined ? null : BigInt.asUintN(32, BigInt(transactionId)),
      datname: 'postgres',
      usename: 'postgres',
    }));
  }

  signal(pid: number, kind: 'cancel' | 'terminate', sender: number): boolean {
    const session = this.#sessions.get(pid);
    if (!session) return false;
    if (pid === sender) throw kind === 'cancel' ? canceled() : terminated();
    // It takes effect after the statement that sends it.
    this.soon(() => (kind === 'cancel' ? session.cancel() : session.terminate()));
    return true;
  }

  isDeadlocked(pid: number): boolean {
    const seen = new Set<number>();
    for (
      let at = this.#sessions.get(pid)?.waitsFor;
      at && !seen.has(at.pid);
      at = this.#sessions.get(at.pid)?.waitsFor
    ) {
      if (at.pid === pid) return true;
      seen.add(at.pid);
    }
    return false;
  }

  left(pid: number): void {
    this.#sessions.delete(pid);
  }
}
