import type { Claim } from '../../../src/stores/leased.js';
import type { Server } from '../kernel/server.js';

interface Row {
  readonly owner: string;
  readonly isDone: boolean;
  readonly until: number;
}

/** A table for `leasedStore`: three conditional writes, each atomic, by the clock of its server. */
export class LeaseTable {
  readonly server: Server;
  readonly #rows = new Map<string, Row>();
  #fence = 0n;

  constructor(server: Server) {
    this.server = server;
  }

  claim(key: string, owner: string, leaseMs: number): Claim {
    const now = this.server.wall();
    const row = this.#rows.get(key);
    // A claim that arrives again after its record must not undo it.
    if (row && row.until > now && (row.isDone || row.owner !== owner)) return row.isDone ? 'duplicate' : 'in-progress';
    this.#rows.set(key, { owner, isDone: false, until: now + leaseMs });
    return ++this.#fence;
  }

  record(key: string, owner: string, retentionMs: number): boolean {
    const row = this.#rows.get(key);
    if (row && row.owner !== owner) return false;
    this.#rows.set(key, { owner, isDone: true, until: this.server.wall() + retentionMs });
    return true;
  }

  release(key: string, owner: string): void {
    const row = this.#rows.get(key);
    if (row && row.owner === owner && !row.isDone) this.#rows.delete(key);
  }
}
