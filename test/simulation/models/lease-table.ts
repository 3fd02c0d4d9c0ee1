import type { Claim, Leases } from '../../../src/stores/leased.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import { Wire } from './wire.js';

interface Row {
  readonly owner: string;
  readonly isDone: boolean;
  readonly until: number;
}

/** A table for `leasedStore`: three conditional writes, each atomic, by the clock of its server. */
export class LeaseTable {
  readonly server: Server;
  readonly #rows = new Map<string, Row>();
  /** When the last lease of a key that a process claimed ends, by process and key. */
  readonly #ends = new Map<string, number>();
  #fence = 0n;

  constructor(server: Server) {
    this.server = server;
  }

  /** The table as a client in this process has it. */
  leases(process: Process): Leases {
    const wire = new Wire(process, this.server, { resends: false, silentMs: 1500 });
    return {
      claim: (key, owner, leaseMs) =>
        wire.call(() => {
          const claim = this.claim(key, owner, leaseMs);
          if (typeof claim === 'bigint') this.#ends.set(`${process.name} ${key}`, this.server.world.now + leaseMs);
          return claim;
        }),
      complete: (key, owner, retentionMs) => wire.call(() => this.complete(key, owner, retentionMs)),
      release: (key, owner) => wire.call(() => this.release(key, owner)),
    };
  }

  isDone(key: string): boolean {
    return this.#rows.get(key)?.isDone === true;
  }

  /** When the lease ends that this process claimed last, in true time. */
  endOf(process: Process, key: string): number {
    return this.#ends.get(`${process.name} ${key}`) ?? 0;
  }

  claim(key: string, owner: string, leaseMs: number): Claim {
    const now = this.server.wall();
    const row = this.#rows.get(key);
    // A claim that arrives again after its record must not undo it.
    if (row && row.until > now && (row.isDone || row.owner !== owner)) return row.isDone ? 'duplicate' : 'in-progress';
    this.#rows.set(key, { owner, isDone: false, until: now + leaseMs });
    return ++this.#fence;
  }

  complete(key: string, owner: string, retentionMs: number): boolean {
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
