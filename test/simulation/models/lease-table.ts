import type { Claim } from '../../../src/stores/leased.js';
import type { Step } from '../../../src/stores/store.js';
import type { Server } from '../kernel/server.js';
import { LetterRows } from './letter-rows.js';

interface Row {
  readonly owner: string;
  readonly isDone: boolean;
  readonly until: number;
}

/** A table of leases: three conditional writes, each atomic, by the clock of its server; and dead letters. */
export class LeaseTable {
  readonly letters: LetterRows;
  readonly #rows = new Map<string, Row>();
  /** The tokens of claims that took over from a run that never ended. */
  readonly abandoned = new Set<bigint>();
  #fence = 0n;

  constructor(readonly server: Server) {
    this.letters = new LetterRows({
      now: () => server.wall(),
      isTaken: (key) => (this.#rows.get(key)?.until ?? 0) > server.wall(),
      isRecorded: (key) => this.#rows.get(key)?.isDone === true,
      transitionsOf: () => undefined,
      settle: (key) => this.#rows.set(key, { owner: '', isDone: true, until: Number.POSITIVE_INFINITY }),
    });
  }

  claim(key: string, owner: string, leaseMs: number, from: Step['from'] = 'free'): Claim {
    const now = this.server.wall();
    const row = this.#rows.get(key);
    // A claim that arrives again after its record must not undo it.
    if (row && row.until > now && (row.isDone || row.owner !== owner)) return row.isDone ? 'duplicate' : 'in-progress';
    if (this.letters.isDead(key) !== (from === 'dead')) return 'duplicate';
    const token = ++this.#fence;
    if (row && !row.isDone && row.owner !== owner) this.abandoned.add(token);
    this.#rows.set(key, { owner, isDone: false, until: now + leaseMs });
    return token;
  }

  record(key: string, owner: string, retentionMs: number): boolean {
    const row = this.#rows.get(key);
    if (row && row.owner !== owner) return false;
    this.#rows.set(key, { owner, isDone: true, until: this.server.wall() + retentionMs });
    this.letters.forget(key);
    return true;
  }

  release(key: string, owner: string): void {
    const row = this.#rows.get(key);
    if (row && row.owner === owner && !row.isDone) this.#rows.delete(key);
  }
}
