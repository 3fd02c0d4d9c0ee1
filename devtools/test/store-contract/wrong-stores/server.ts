/** A key on the server. */
export interface Row {
  readonly owner: string;
  readonly isDone: boolean;
  /** End of the lease or of the retention. */
  readonly until: number;
}

/** A database in memory, with a clock that only a test advances. Stores on the same server are replicas. */
export class Server {
  readonly rows = new Map<string, Row>();
  readonly effects: string[] = [];
  readonly locks = new Map<string, Transaction>();
  now = 0;
  isAway = false;
  outages = 0;

  /** One round trip. `work` is atomic. */
  async call<T>(work: () => T): Promise<T> {
    await tick();
    if (this.isAway) throw new Error('connect ECONNREFUSED');
    const answer = work();
    await tick();
    return answer;
  }

  /** Returns the row of a name, unless it has expired. */
  find(name: string): Row | undefined {
    const row = this.rows.get(name);
    return row !== undefined && row.until > this.now ? row : undefined;
  }
}

/** A transaction: its rows and effects are committed together, and its names are locked until it ends. */
export class Transaction {
  readonly #names: string[] = [];
  readonly #effects: string[] = [];
  readonly #server: Server;
  isOver = false;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Locks a name, or returns false if another transaction has locked it. */
  lock(name: string): boolean {
    if (this.#server.locks.has(name)) return false;
    this.#server.locks.set(name, this);
    this.#names.push(name);
    return true;
  }

  async write(id: string): Promise<void> {
    await tick();
    if (this.isOver) throw new Error('The transaction is over.');
    this.#effects.push(id);
  }

  /** Commits everything, or rolls back if it cannot. */
  async commit(retentionMs: number): Promise<void> {
    try {
      await this.#server.call(() => this.#apply(this.#server.now + retentionMs));
    } finally {
      this.rollback();
    }
  }

  #apply(until: number): void {
    if (this.isOver) throw new Error('The transaction is over.');
    for (const name of this.#names) this.#server.rows.set(name, { owner: '', isDone: true, until });
    this.#server.effects.push(...this.#effects);
  }

  /** Ends the transaction. What it wrote is lost unless it was committed. */
  rollback(): void {
    this.isOver = true;
    this.unlock();
  }

  /** Unlocks its names, so that a commit writes no rows for them. */
  unlock(): void {
    for (const name of this.#names.splice(0)) this.#server.locks.delete(name);
  }
}

/** The duration of a round trip, in which other calls make progress. */
async function tick(): Promise<void> {
  await null;
}
