import type { Run, RunLimit, Step, StoreWord, TransactionalStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import type { Subject } from '../subject/load.js';
import { LetterRows } from './letter-rows.js';
import { LogRows } from './log-rows.js';
import { Session } from './session.js';

/** A transaction, as the server has it. `own`: the handler ended it. */
interface Transaction {
  readonly keys: readonly string[];
  readonly step: Step;
  readonly token: bigint;
  state: 'open' | 'own' | 'over';
  readonly effects: string[];
}

interface Claimed {
  readonly words: ReadonlyMap<string, StoreWord>;
  readonly transaction: Transaction;
}

/** The transaction of a handler. */
export interface Tx {
  /** Writes an effect, such as that of a key. */
  write(effect: string): Promise<void>;
  /** What a handler must not do. */
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>;
}

export interface TableTimes {
  readonly leaseMs: number;
  readonly timeoutMs: number;
  /** After this time no transaction conflicts with another. */
  readonly horizonMs: number;
  /** How long a replica may revise the logs of a chain without extending its lease. (Default: `leaseMs`.) */
  readonly leadMs?: number | undefined;
}

const MOST_TRIES = 5;
class Conflict extends Error {}

/**
 * A database of effects, idempotency keys and logs, and a transactional store over it that is written from the contract of
 * `TransactionalStore`. Left out: locks that wait, and a handler's statements beside its transaction.
 */
export class TransactionalTable {
  /** The keys that are committed; open ones have an unknown outcome. */
  readonly rows = new Map<string, 'done' | 'open'>();
  readonly logs: LogRows;
  readonly letters: LetterRows;
  readonly effects: string[] = [];
  /** Grows with each change of what is committed. */
  commits = 0;
  readonly #held = new Map<string, Transaction>();
  #token = 0n;

  constructor(
    readonly server: Server,
    private readonly times: TableTimes,
  ) {
    const { timeoutMs, leadMs = times.leaseMs } = times;
    this.logs = new LogRows(server, { timeoutMs, leadMs }, (key) => this.#held.has(key));
    this.letters = new LetterRows({
      now: () => server.wall(),
      isTaken: (key) => this.rows.has(key) || this.#held.has(key) || this.logs.final.has(key),
      isRecorded: (key) => this.rows.get(key) === 'done' || (this.logs.has(key) && !this.letters.isDead(key)),
      transitionsOf: (key) => this.logs.open.get(key)?.transitions,
      settle: (key) => {
        this.rows.set(key, 'done');
        this.commits++;
      },
    });
    this.logs.isDead = (key) => this.letters.isDead(key);
  }

  /** The store of a process that starts. */
  store(process: Process, { WebhookError }: Subject): TransactionalStore<Tx> {
    const unknown = (keys: readonly string[], cause: unknown) =>
      new WebhookError('ERR_WEBHOOK_OUTCOME_UNKNOWN', `The outcome of ${keys.join(', ')} is unknown.`, { cause });
    const call = async <T>(serve: () => T): Promise<T> => {
      const session = new Session(process, this.server, this.times.timeoutMs);
      try {
        return await session.call(serve);
      } finally {
        session.close();
      }
    };
    return {
      leaseMs: this.times.leaseMs,
      letters: this.letters.store(call),
      logs: this.logs.store(process, call),
      once: async (keys, step, run, limit) => {
        for (let tries = 1; ; tries++) {
          const session = new Session(process, this.server, this.times.timeoutMs);
          try {
            return await this.#attempt(session, keys, step, run, limit, unknown);
          } catch (error) {
            if (!(error instanceof Conflict) || tries === MOST_TRIES) throw error;
          } finally {
            session.close();
          }
        }
      },
    };
  }

  async #attempt(
    session: Session,
    keys: readonly string[],
    step: Step,
    run: Run<Tx>,
    { signal }: RunLimit,
    unknown: (keys: readonly string[], cause: unknown) => Error,
  ): Promise<Map<string, StoreWord>> {
    const { leaseMs } = this.times;
    const { process } = session;
    const startedAt = process.monotonic();
    const elapsedMs = () => process.monotonic() - startedAt;
    const { words, transaction } = await session.call(() => this.#begin(keys, step, session));
    const { keys: fresh, token } = transaction;
    if (fresh.length > 0) {
      if (elapsedMs() >= leaseMs / 10) throw new Error('The claim took too long.');
      const tx: Tx = {
        write: (effect) => session.call(() => this.#write(transaction, effect)),
        end: (how) => session.call(() => this.#end(transaction, how === 'COMMIT', 'own')),
      };
      let isLate = false;
      let giveUp: (error: Error) => void = () => {};
      const late = new Promise<never>((_, reject) => {
        giveUp = reject;
      });
      late.catch(() => {});
      signal.addEventListener('abort', () => {
        isLate = true;
        session.close();
        giveUp(signal.reason);
      });
      try {
        await Promise.race([run(new Map(fresh.map((key) => [key, { token }])), tx), late]);
      } catch (error) {
        // The server rolls back what a closed connection has left open.
        if (isLate || (await session.call(() => this.#finish(transaction, false))) !== 'own') throw error;
        throw unknown(fresh, error);
      }
      if (isLate) throw new Error('The time of the handler was over.');
      const became = await session.call(() => this.#finish(transaction, true));
      if (became === 'conflict') throw new Conflict('Another transaction changed the same rows.');
      if (became === 'own') throw unknown(fresh, undefined);
      if (became === 'over') throw new Error('The server has ended the transaction.');
    }
    return new Map(keys.map((key) => [key, words.get(key) ?? 'handled']));
  }

  #begin(keys: readonly string[], step: Step, session: Session): Claimed {
    const words = new Map<string, StoreWord>();
    for (const key of keys) {
      const row = this.rows.get(key);
      if (row !== undefined) words.set(key, row === 'done' ? 'duplicate' : 'unknown');
      else if (!this.#isFree(key, step)) words.set(key, 'duplicate');
      else if (this.#held.has(key)) words.set(key, 'in-progress');
    }
    const fresh = keys.filter((key) => !words.has(key));
    const transaction: Transaction = { keys: fresh, step, token: ++this.#token, state: 'open', effects: [] };
    for (const key of fresh) this.#held.set(key, transaction);
    const rollBack = () => {
      if (transaction.state === 'open') this.#end(transaction, false, 'over');
    };
    session.connection.onClose('server', rollBack);
    this.server.onStop(rollBack);
    this.server.world.after(this.times.leaseMs, () => this.server.serve(rollBack));
    return { words, transaction };
  }

  /** Whether a step may have a key that is neither done nor open. */
  #isFree(key: string, step: Step): boolean {
    if (step.from === 'dead') return this.letters.isDead(key);
    if (this.letters.isDead(key)) return false;
    return step.from === 'free' ? !this.logs.has(key) : this.logs.matches(key, step);
  }

  /** Outside of a transaction, it is committed at once. */
  #write(transaction: Transaction, effect: string): void {
    if (transaction.state === 'over') throw new Error('The transaction is over.');
    if (transaction.state === 'open') transaction.effects.push(effect);
    else this.#commit([effect]);
  }

  #commit(effects: readonly string[]): void {
    this.effects.push(...effects);
    this.commits++;
  }

  /** Ends an open transaction. With a commit of the handler's, the keys are committed as they were inserted: open. */
  #end(transaction: Transaction, commits: boolean, state: 'own' | 'over'): void {
    if (transaction.state !== 'open') return;
    transaction.state = state;
    for (const key of transaction.keys) {
      this.#held.delete(key);
      if (!commits) continue;
      if (state === 'own') this.rows.set(key, 'open');
      else if (!this.logs.record(key, transaction.step)) this.rows.set(key, 'done');
      this.letters.forget(key);
    }
    if (commits) this.#commit(transaction.effects);
  }

  #finish(transaction: Transaction, commits: boolean): 'committed' | 'rolled back' | 'conflict' | 'own' | 'over' {
    const { world } = this.server;
    if (transaction.state === 'own') {
      // Nobody may run these keys again: what the handler wrote after its ROLLBACK is not known either.
      for (const key of transaction.keys) if (!this.rows.has(key) && !this.#held.has(key)) this.rows.set(key, 'open');
      this.commits++;
    }
    if (transaction.state !== 'open') return transaction.state;
    const conflicts = commits && world.now < this.times.horizonMs && world.choices.oneIn(10);
    this.#end(transaction, commits && !conflicts, 'over');
    if (conflicts) return 'conflict';
    return commits ? 'committed' : 'rolled back';
  }

  /** What an operator does: open keys become done where the effect is there, and free where it is not. */
  settle(): void {
    for (const [key, state] of this.rows) {
      if (state === 'done') continue;
      if (this.effects.includes(key)) this.rows.set(key, 'done');
      else this.rows.delete(key);
    }
    this.commits++;
  }
}
