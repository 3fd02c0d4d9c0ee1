import { ConfigError } from '../../errors.js';
import type { ReconcileCursor } from '../../stores/cursor.js';
import { asError, Stop } from './report.js';
import type { ReconcileSource } from './source.js';

const VERSION = 1;
/** Minimum time in ms between two writes during a run. */
const WRITE_INTERVAL_MS = 1000;

/** The progress of reconciliation: the next position, and the events before it that did not take effect. */
export class Progress {
  next: number;
  /** Positions of the events to retry, by idempotency key. */
  retries = new Map<string, number>();
  /** The next position in the cursor. */
  stored: number;
  /** Chain ID of the cursor or the source; undefined if neither is known. */
  chainId: number | undefined;
  #text: string | undefined;
  /** The text read from the cursor; undefined before that. A cursor that cannot be parsed is never overwritten. */
  #written: string | undefined;
  #lastWrite = Date.now();

  constructor(
    private readonly cursor: ReconcileCursor | undefined,
    private readonly source: Pick<ReconcileSource, 'name' | 'scope'>,
    private readonly from: number,
  ) {
    this.next = from;
    this.stored = from;
  }

  /** Reads the cursor. Without one, the run starts at `from`. */
  async read(): Promise<void> {
    try {
      this.#text = (await this.cursor?.read()) ?? undefined;
    } catch (error) {
      throw new Stop('cursor', asError(error));
    }
    if (this.#text !== undefined) this.#restore(this.#text);
    this.#written = this.#state();
    this.stored = this.next;
  }

  #restore(text: string): void {
    const { source, scope, chainId, next, retry } = parse(text);
    const { name } = this.source;
    if (source !== name) {
      throw new ConfigError(
        `The cursor belongs to another source, \`${source}\` instead of \`${name}\`. Use one cursor per source.`,
      );
    }
    if (scope !== this.source.scope) {
      throw new ConfigError(
        `The cursor belongs to other contracts or wallets of the source \`${name}\`: earlier events of added ones would be missed. Keep this cursor for the old ones, and add a source with its own cursor for the new ones.`,
      );
    }
    this.chainId = chainId;
    this.next = Math.max(this.from, next);
    // Positions before `from` are dropped.
    this.retries = new Map(retry.filter(([, position]) => position >= this.from));
  }

  /** @throws ConfigError if the cursor was written for another chain. */
  checkChain(chainId: number | undefined): void {
    if (this.chainId !== undefined && chainId !== this.chainId) {
      throw new ConfigError(
        `The cursor belongs to the chain ${this.chainId}, but the source reads the chain ${chainId ?? 'unknown'}. Use one cursor per chain.`,
      );
    }
    this.chainId = chainId;
  }

  /** Writes the cursor; with `isDue` only if the last write is old enough. */
  async write(isDue = false): Promise<void> {
    if (!this.cursor || (isDue && Date.now() - this.#lastWrite < WRITE_INTERVAL_MS)) return;
    const state = this.#state();
    if (this.#written === undefined || state === this.#written) return;
    const { name: source, scope } = this.source;
    const text = JSON.stringify({ v: VERSION, source, scope, chainId: this.chainId, ...JSON.parse(state) });
    let isOurs: unknown;
    try {
      isOurs = await this.cursor.write(text, this.#text);
    } catch (error) {
      throw new Stop('cursor', asError(error));
    }
    if (isOurs !== true) throw new Stop('superseded');
    this.#text = text;
    this.#written = state;
    this.stored = this.next;
    this.#lastWrite = Date.now();
  }

  #state(): string {
    const retry = [...this.retries].sort((one, other) => one[1] - other[1]);
    return JSON.stringify({ next: this.next, retry });
  }
}

interface Stored {
  readonly source: string;
  readonly scope: string | undefined;
  readonly chainId: number | undefined;
  readonly next: number;
  readonly retry: readonly (readonly [key: string, position: number])[];
}

function parse(text: string): Stored {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
  }
  const { v, source, scope, chainId, next, retry } = Object(stored);
  const isRetry = (each: unknown) => Array.isArray(each) && typeof each[0] === 'string' && isPosition(each[1]);
  const isOurs = v === VERSION && typeof source === 'string' && (scope === undefined || typeof scope === 'string');
  const isComplete = (chainId === undefined || isPosition(chainId)) && isPosition(next) && Array.isArray(retry);
  if (isOurs && isComplete && retry.every(isRetry)) return stored as Stored;
  throw new ConfigError('The cursor contains text that `reconcile` did not write. Check where `cursor` reads from.');
}

export function isPosition(value: unknown): value is number {
  // Its successor must be a safe integer, too.
  return Number.isSafeInteger(value) && (value as number) >= 0 && value !== Number.MAX_SAFE_INTEGER;
}
