import type { IdempotencyStore } from '../../../src/index.js';
import type { RunOptions, RunTransaction, StoreWord } from '../../../src/stores/store.js';
import type { ContractSettings } from '../../../src/testing/index.js';
import { type Server, Transaction } from './server.js';

type RunEach<Tx> = (fresh: readonly string[], tx: RunTransaction<Tx>, options?: RunOptions) => Promise<void>;
type Run<Tx> = (tx: RunTransaction<Tx>, options?: RunOptions) => Promise<void>;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const WEEK_MS = 604_800_000;

/** A correct lease store, as a user could write it. Each wrong store changes one step of it. */
export class LeaseStore implements IdempotencyStore {
  readonly leaseMs: number;
  readonly retentionMs: number;
  readonly timeoutMs: number;
  readonly server: Server;

  constructor(server: Server, { leaseMs = 60_000, retentionMs = WEEK_MS, timeoutMs = 1000 }: ContractSettings = {}) {
    this.server = server;
    this.leaseMs = leaseMs;
    this.retentionMs = retentionMs;
    this.timeoutMs = timeoutMs;
  }

  async once(key: string, run: Run<undefined>): Promise<StoreWord> {
    const [word] = await this.handle([key], (_fresh, tx, options) => run(tx, options));
    return word as StoreWord;
  }

  async onceEach(keys: readonly string[], run: RunEach<undefined>): Promise<StoreWord[]> {
    return this.handle(keys, run);
  }

  async handle(keys: readonly string[], run: RunEach<undefined>): Promise<StoreWord[]> {
    const owner = crypto.randomUUID();
    const isFrozen = this.freezeDetector();
    const words = await this.claim(keys, owner);
    const fresh = keys.filter((_, index) => words[index] === 'handled');
    if (fresh.length === 0) return words;
    if (isFrozen()) {
      await this.release(fresh, owner);
      throw new Error('The claim took too long.');
    }
    await this.work(fresh, owner, run);
    await this.record(fresh, owner);
    return words;
  }

  /** The name of a key's row. */
  nameOf(key: string): string {
    return key;
  }

  async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    return this.server.call(() => keys.map((key) => this.claimRow(this.nameOf(key), owner)));
  }

  claimRow(name: string, owner: string): StoreWord {
    const row = this.server.find(name);
    if (row) return row.isDone ? 'duplicate' : 'in-progress';
    this.server.rows.set(name, { owner, isDone: false, until: this.server.now + this.leaseMs });
    return 'handled';
  }

  /** Reads both clocks. Returns a function that tells whether too much of the lease has passed since then, on either clock. */
  freezeDetector(): () => boolean {
    const [wall, monotonic] = [Date.now(), performance.now()];
    return () => Math.max(Date.now() - wall, performance.now() - monotonic) > this.leaseMs / 10 + 250;
  }

  async work(fresh: readonly string[], owner: string, run: RunEach<undefined>): Promise<void> {
    try {
      await run(fresh, undefined);
    } catch (error) {
      // If the server is away, the lease expires by itself.
      await this.release(fresh, owner).catch(() => {});
      throw error;
    }
  }

  async release(keys: readonly string[], owner: string): Promise<void> {
    await this.server.call(() => {
      for (const name of keys.map((key) => this.nameOf(key)))
        if (this.server.rows.get(name)?.owner === owner) this.server.rows.delete(name);
    });
  }

  /** Records keys, and keeps trying after `timeoutMs`. */
  async record(keys: readonly string[], owner: string): Promise<void> {
    const recorded = this.keepRecording(keys, owner);
    recorded.catch(() => {});
    const late = pause(this.timeoutMs).then(() => Promise.reject(new Error('The record is late.')));
    await Promise.race([recorded, late]);
  }

  async keepRecording(keys: readonly string[], owner: string): Promise<void> {
    for (let tries = 0; ; tries++) {
      let isOurs: boolean;
      try {
        isOurs = await this.complete(keys, owner);
      } catch (error) {
        if (tries === 500) throw error;
        await pause(10);
        continue;
      }
      if (!isOurs) throw new Error('Another run has taken over the key.');
      return;
    }
  }

  /** Returns false if another run has taken over one of the keys. */
  async complete(keys: readonly string[], owner: string): Promise<boolean> {
    return this.server.call(() =>
      keys.map((key) => this.completeRow(this.nameOf(key), owner)).every((isOurs) => isOurs),
    );
  }

  completeRow(name: string, owner: string): boolean {
    const row = this.server.rows.get(name);
    if (row && row.owner !== owner) return false;
    this.server.rows.set(name, { owner, isDone: true, until: this.server.now + this.retentionMs });
    return true;
  }
}

/** A correct transactional store, as a user could write it. */
export class TransactionalStore implements IdempotencyStore<Transaction> {
  readonly transactional = true;
  readonly retentionMs: number;
  readonly server: Server;

  constructor(server: Server, { retentionMs = WEEK_MS }: ContractSettings = {}) {
    this.server = server;
    this.retentionMs = retentionMs;
  }

  async once(key: string, run: Run<Transaction>): Promise<StoreWord> {
    const [word] = await this.onceEach([key], (_fresh, tx, options) => run(tx, options));
    return word as StoreWord;
  }

  async onceEach(keys: readonly string[], run: RunEach<Transaction>): Promise<StoreWord[]> {
    const tx = new Transaction(this.server);
    let words: StoreWord[];
    try {
      words = await this.server.call(() => keys.map((key) => this.claimRow(key, tx)));
      const fresh = keys.filter((_, index) => words[index] === 'handled');
      if (fresh.length > 0) await this.work(fresh, tx, run);
    } catch (error) {
      tx.rollback();
      throw error;
    }
    await this.commit(tx);
    return words;
  }

  claimRow(name: string, tx: Transaction): StoreWord {
    if (this.server.find(name)) return 'duplicate';
    return tx.lock(name) ? 'handled' : 'in-progress';
  }

  /** Rejects when the handler fails or its time is up, whichever is first. */
  async work(fresh: readonly string[], tx: Transaction, run: RunEach<Transaction>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onTimeout = (error: Error) => {
        tx.rollback();
        reject(error);
      };
      const running = (async () => run(fresh, tx, { onTimeout }))();
      running.then(resolve, reject);
    });
  }

  async commit(tx: Transaction): Promise<void> {
    await tx.commit(this.retentionMs);
  }
}

type Steps = { -readonly [Step in keyof LeaseStore]?: LeaseStore[Step] };
type TransactionSteps = { -readonly [Step in keyof TransactionalStore]?: TransactionalStore[Step] };

/** A store with some steps of a right one replaced. `change` gets the store with its right steps. */
function changed<Store extends object>(Right: unknown, change: (right: Store) => Partial<Store>) {
  const Parent = Right as new (...args: unknown[]) => object;
  return class extends Parent {
    constructor(...args: unknown[]) {
      super(...args);
      const right = new Proxy(this, {
        get(store, name) {
          const step: unknown = Reflect.get(Parent.prototype, name, store) ?? Reflect.get(store, name, store);
          return typeof step === 'function' ? step.bind(store) : step;
        },
      });
      Object.assign(this, change(right as unknown as Store));
    }
  } as unknown as new (
    server: Server,
    settings?: ContractSettings,
  ) => Store;
}

export const leases = (change: (right: LeaseStore) => Steps) => changed(LeaseStore, change);
export const transactions = (change: (right: TransactionalStore) => TransactionSteps) =>
  changed(TransactionalStore, change);
