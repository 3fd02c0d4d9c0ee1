import { PostgresError } from './errors.js';
import { isTime, millisecondsOf, shown } from './settings.js';
import type { Isolation, Transaction } from './transaction.js';

const ISOLATION = 'transaction_isolation';

/** The settings of a session: those of its transaction, its own, the server's. */
export class SessionSettings {
  readonly #own = new Map<string, string>();
  readonly #defaults: ReadonlyMap<string, string>;

  constructor(defaults: ReadonlyMap<string, string>) {
    this.#defaults = defaults;
  }

  get(name: string, transaction: Transaction | undefined): string | undefined {
    if (name === ISOLATION) return transaction?.isolation;
    return (
      transaction?.local?.get(name) ??
      transaction?.lasting?.get(name) ??
      this.#own.get(name) ??
      this.#defaults.get(name)
    );
  }

  /** A time setting in ms; 0 is none. */
  time(name: string, transaction: Transaction | undefined): number {
    const value = this.get(name, transaction);
    return value === undefined || value === '0' ? 0 : millisecondsOf(name, value);
  }

  all(transaction: Transaction | undefined): (readonly [string, string])[] {
    const names = new Set([...this.#defaults.keys(), ...this.#own.keys()]);
    // pg_settings shows times without their unit.
    // It does not show the role.
    names.delete('role');
    return [...names].map((name) => [
      name,
      isTime(name) ? String(this.time(name, transaction)) : (this.get(name, transaction) ?? ''),
    ]);
  }

  set(name: string, value: string, isLocal: boolean, transaction: Transaction): string {
    if (name === ISOLATION) {
      if (transaction.snapshot !== undefined) {
        throw new PostgresError('25001', 'SET TRANSACTION ISOLATION LEVEL must be called before any query');
      }
      transaction.isolation = value as Isolation;
      return value;
    }
    if (!this.#defaults.has(name) && !name.includes('.')) {
      throw new PostgresError('42704', `unrecognized configuration parameter "${name}"`);
    }
    const now = shown(name, value);
    if (isLocal) {
      transaction.local ??= new Map();
      transaction.local.set(name, now);
    } else {
      transaction.local?.delete(name);
      transaction.lasting ??= new Map();
      transaction.lasting.set(name, now);
    }
    return now;
  }

  /** Keeps what a committed transaction has set for the session. */
  keep({ lasting }: Transaction): void {
    if (lasting) for (const [name, value] of lasting) this.#own.set(name, value);
  }
}
