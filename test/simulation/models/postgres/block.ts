import { aborted, PostgresError } from './errors.js';
import type { Host } from './host.js';
import type { Statement } from './query.js';
import { SessionSettings } from './session-settings.js';
import { type Isolation, type Savepoint, Transaction } from './transaction.js';

/** The transaction of a session: one of a message, or from BEGIN to COMMIT. */
export class Block {
  /** Of a transaction that BEGIN has opened. */
  state: 'none' | 'open' | 'failed' = 'none';
  transaction: Transaction | undefined;
  /** When `transaction_timeout` is over. */
  endsAt: number | undefined;
  readonly #pid: number;
  readonly #server: Host;
  readonly #settings: SessionSettings;

  constructor(pid: number, server: Host, defaults: ReadonlyMap<string, string>) {
    this.#pid = pid;
    this.#server = server;
    this.#settings = new SessionSettings(defaults);
  }

  setting(name: string): string | undefined {
    return this.#settings.get(name.toLowerCase(), this.transaction);
  }

  settings(): Iterable<readonly [string, string]> {
    return this.#settings.all(this.transaction);
  }

  /** In ms; 0 is none. */
  time(name: string): number {
    return this.#settings.time(name, this.transaction);
  }

  set(name: string, value: string, isLocal: boolean): string {
    if (!this.transaction) throw new Error('A setting outside of a transaction.');
    const shown = this.#settings.set(name.toLowerCase(), value, isLocal, this.transaction);
    if (name === 'transaction_timeout') this.#limit();
    return shown;
  }

  /** Counts from when it is set; setting it again does not prolong it. */
  #limit(): void {
    const ms = this.time('transaction_timeout');
    if (ms === 0) this.endsAt = undefined;
    else this.endsAt ??= this.#server.monotonic() + ms;
  }

  /** The transaction for a statement that begins. */
  forStatement(arrivedAt: number): Transaction {
    if (this.state === 'failed') throw aborted();
    const transaction = this.transaction ?? this.#begin(arrivedAt, undefined);
    transaction.command++;
    return transaction;
  }

  #begin(startedAt: number, isolation: Isolation | undefined): Transaction {
    const level = isolation ?? (this.setting('default_transaction_isolation') as Isolation);
    this.transaction = new Transaction(this.#pid, level, startedAt);
    this.#limit();
    return this.transaction;
  }

  end(isCommitted: boolean): void {
    this.state = 'none';
    this.endsAt = undefined;
    const { transaction } = this;
    this.transaction = undefined;
    if (!transaction) return;
    if (isCommitted) this.#settings.keep(transaction);
    this.#server.end(transaction, isCommitted);
  }

  /** A statement failed: undoes what was done since the last savepoint, and frees its locks. */
  fail(): void {
    const isBlock = this.state !== 'none';
    const savepoint = this.transaction?.savepoints.at(-1);
    if (savepoint) this.#undo(savepoint);
    else this.end(false);
    if (isBlock) this.state = 'failed';
  }

  #undo({ changes, advisory, local, lasting }: Savepoint): void {
    const { transaction } = this;
    if (!transaction) return;
    transaction.undo(changes);
    transaction.local = local && new Map(local);
    transaction.lasting = lasting && new Map(lasting);
    this.#limit();
    this.#server.unlock(transaction, advisory);
    transaction.wake();
  }

  /** Returns the command that the server answers with. */
  control(statement: Exclude<Statement, { kind: 'work' }>, arrivedAt: number): string {
    switch (statement.kind) {
      case 'begin':
        return this.#open(statement.isolation, arrivedAt);
      case 'commit': {
        const isCommitted = this.state !== 'failed';
        this.end(isCommitted);
        return isCommitted ? 'COMMIT' : 'ROLLBACK';
      }
      case 'rollback':
        this.end(false);
        return 'ROLLBACK';
      default:
        return this.#savepoint(statement.kind, statement.name);
    }
  }

  #open(isolation: Isolation | undefined, arrivedAt: number): string {
    if (this.state === 'failed') throw aborted();
    if (this.state === 'none') {
      const transaction = this.transaction ?? this.#begin(arrivedAt, isolation);
      if (isolation) transaction.isolation = isolation;
      this.state = 'open';
    }
    return 'BEGIN';
  }

  #savepoint(kind: 'savepoint' | 'release' | 'rollback to', name: string): string {
    if (this.state === 'failed' && kind !== 'rollback to') throw aborted();
    const { transaction } = this;
    if (this.state === 'none') {
      const command = kind === 'release' ? 'RELEASE SAVEPOINT' : kind.toUpperCase();
      const what = kind === 'rollback to' ? 'ROLLBACK TO SAVEPOINT' : command;
      throw new PostgresError('25P01', `${what} can only be used in transaction blocks`);
    }
    // A failed transaction without a savepoint has ended already.
    if (!transaction) throw new PostgresError('3B001', `savepoint "${name}" does not exist`);
    const { savepoints } = transaction;
    if (kind === 'savepoint') {
      const { changes, advisory, local, lasting } = transaction;
      savepoints.push({
        name,
        changes: changes.length,
        advisory: advisory.length,
        local: local && new Map(local),
        lasting: lasting && new Map(lasting),
      });
      return 'SAVEPOINT';
    }
    const at = savepoints.findLastIndex((each) => each.name === name);
    const savepoint = savepoints[at];
    if (!savepoint) throw new PostgresError('3B001', `savepoint "${name}" does not exist`);
    if (kind === 'release') {
      savepoints.length = at;
      return 'RELEASE';
    }
    savepoints.length = at + 1;
    this.#undo(savepoint);
    this.state = 'open';
    return 'ROLLBACK';
  }
}
