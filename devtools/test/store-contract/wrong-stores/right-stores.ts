import type { LeaseStore, TransactionalStore } from 'event-webhook-receiver';
import type { ClaimAnswer, Run, RunLimit, Step, StoreWord } from '../../../../src/stores/store.js';
import type { ContractSettings } from '../../../src/store-contract/index.js';
import { type Server, Transaction } from './server.js';

type Fresh = Parameters<Run<unknown>>[0];

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const WEEK_MS = 604_800_000;

/** A correct lease store, as a user could write it. Each wrong store changes one step of it. */
export class RightLeaseStore implements LeaseStore {
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

  /** The name of a key's row. */
  nameOf(key: string): string {
    return key;
  }

  async claim(keys: readonly string[], owner: string): Promise<Map<string, ClaimAnswer>> {
    return this.server.call(() => new Map(keys.map((key) => [key, this.claimRow(this.nameOf(key), owner)])));
  }

  claimRow(name: string, owner: string): ClaimAnswer {
    const row = this.server.find(name);
    if (row) return row.isDone ? 'duplicate' : 'in-progress';
    this.server.rows.set(name, { owner, isDone: false, until: this.server.now + this.leaseMs });
    return {};
  }

  /** Keeps trying after `timeoutMs`. */
  async record(keys: readonly string[], owner: string): Promise<Map<string, boolean>> {
    const recorded = this.keepRecording(keys, owner);
    recorded.catch(() => {});
    const late = pause(this.timeoutMs).then(() => Promise.reject(new Error('The record is late.')));
    return Promise.race([recorded, late]);
  }

  async keepRecording(keys: readonly string[], owner: string): Promise<Map<string, boolean>> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.recordOnce(keys, owner);
      } catch (error) {
        if (tries === 500) throw error;
        await pause(10);
      }
    }
  }

  async recordOnce(keys: readonly string[], owner: string): Promise<Map<string, boolean>> {
    return this.server.call(() => new Map(keys.map((key) => [key, this.recordRow(this.nameOf(key), owner)])));
  }

  /** Returns false if another run has taken over the key. */
  recordRow(name: string, owner: string): boolean {
    const row = this.server.rows.get(name);
    if (row && row.owner !== owner) return false;
    this.server.rows.set(name, { owner, isDone: true, until: this.server.now + this.retentionMs });
    return true;
  }

  async release(keys: readonly string[], owner: string): Promise<unknown> {
    return this.server.call(() => {
      for (const name of keys.map((key) => this.nameOf(key))) {
        const row = this.server.rows.get(name);
        if (row?.owner === owner && !row.isDone) this.server.rows.delete(name);
      }
    });
  }
}

/** A correct transactional store, as a user could write it. */
export class RightTransactionalStore implements TransactionalStore<Transaction> {
  readonly retentionMs: number;
  readonly server: Server;

  constructor(server: Server, { retentionMs = WEEK_MS }: ContractSettings = {}) {
    this.server = server;
    this.retentionMs = retentionMs;
  }

  async once(
    keys: readonly string[],
    _step: Step,
    run: Run<Transaction>,
    limit: RunLimit,
  ): Promise<Map<string, StoreWord>> {
    const tx = new Transaction(this.server);
    let words: Map<string, StoreWord>;
    try {
      words = await this.server.call(() => new Map(keys.map((key) => [key, this.claimRow(key, tx)])));
      const fresh = new Map(keys.filter((key) => words.get(key) === 'handled').map((key) => [key, {}]));
      if (fresh.size > 0) await this.work(fresh, tx, run, limit);
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
  async work(fresh: Fresh, tx: Transaction, run: Run<Transaction>, { signal }: RunLimit): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        tx.rollback();
        reject(signal.reason);
      });
      const running = (async () => run(fresh, tx))();
      running.then(resolve, reject);
    });
  }

  async commit(tx: Transaction): Promise<void> {
    await tx.commit(this.retentionMs);
  }
}

type Steps = { -readonly [Step in keyof RightLeaseStore]?: RightLeaseStore[Step] };
type TransactionSteps = { -readonly [Step in keyof RightTransactionalStore]?: RightTransactionalStore[Step] };

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

export const leases = (change: (right: RightLeaseStore) => Steps) => changed(RightLeaseStore, change);
export const transactions = (change: (right: RightTransactionalStore) => TransactionSteps) =>
  changed(RightTransactionalStore, change);
