import type { Failed, Failure, LetterStore, StoredLetter } from '../../../src/stores/store.js';

interface Row extends StoredLetter {
  readonly isDead: boolean;
}

/** The keys that failures are counted of. */
interface Keys {
  now(): number;
  /** Whether another run has the key, or it took effect. */
  isTaken(key: string): boolean;
  isRecorded(key: string): boolean;
  /** How often the log of a key that is not final was applied or reverted. */
  transitionsOf(key: string): number | undefined;
  /** The key counts as done from now on. */
  settle(key: string): void;
}

/** Failed runs and dead letters on a server, written from the contract of `LetterStore`. Left out: keys whose outcome is unknown. */
export class LetterRows {
  /** Keys that were discarded: they take no effect. */
  readonly discarded = new Set<string>();
  readonly #rows = new Map<string, Row>();

  constructor(private readonly keys: Keys) {}

  isDead(key: string): boolean {
    return this.#rows.get(key)?.isDead === true;
  }

  isRecorded(key: string): boolean {
    return this.keys.isRecorded(key);
  }

  get dead(): string[] {
    return [...this.#rows.keys()].filter((key) => this.isDead(key)).sort();
  }

  /** Its effect is recorded, in the same step. */
  forget(key: string): void {
    this.#rows.delete(key);
  }

  /** The letters of a process: `call` makes a call to the server. */
  store(call: <T>(serve: () => T) => Promise<T>): LetterStore {
    return {
      fail: (key, failure) => call(() => this.#fail(key, failure)),
      look: (keys) =>
        call(() => new Map(keys.filter((key) => this.isDead(key)).map((key) => [key, this.#letter(key)]))),
      list: ({ source, after = '', limit }) =>
        call(() => {
          const found = this.dead.filter(
            (key) => key > after && [undefined, this.#letter(key).source].includes(source),
          );
          const page = new Map(found.slice(0, limit).map((key) => [key, this.#letter(key)]));
          return { letters: page, ...(found.length > limit && { next: found[limit - 1] }) };
        }),
      discard: (keys) => call(() => new Set(keys.filter((key) => this.#discard(key)))),
    };
  }

  #letter(key: string): StoredLetter {
    const { isDead: _, ...letter } = this.#rows.get(key) as Row;
    return { ...letter, transitions: this.keys.transitionsOf(key) };
  }

  #fail(key: string, failure: Failure): Failed | undefined {
    const { now, isTaken, transitionsOf } = this.keys;
    const before = this.#rows.get(key);
    if (failure.isUnknown || isTaken(key)) return undefined;
    if (!before?.isDead && transitionsOf(key) !== failure.transitions) return undefined;
    const { letter, source, code, message, afterAttempts, afterMs } = failure;
    const attempts = (before?.attempts ?? 0) + 1;
    const firstFailedAt = before?.firstFailedAt ?? now();
    const isDue = attempts >= afterAttempts && now() - firstFailedAt >= afterMs;
    const isDead = before?.isDead || isDue;
    this.#rows.set(key, { letter, source, code, message, attempts, firstFailedAt, lastFailedAt: now(), isDead });
    return { attempts, firstFailedAt, isDead };
  }

  #discard(key: string): boolean {
    if (!this.isDead(key) || this.keys.isTaken(key)) return false;
    this.#rows.delete(key);
    this.discarded.add(key);
    this.keys.settle(key);
    return true;
  }
}
