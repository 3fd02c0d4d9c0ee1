/** A block and its chain. */
export interface LogBlock {
  /** Identifies the chain, such as `1` for Ethereum. */
  readonly chain: string;
  readonly blockNumber: number;
  /** In lower case. */
  readonly blockHash: string;
}

/** A log whose block may still be replaced, as a store keeps it under its key. */
export interface KeptLog extends LogBlock {
  /** The event: JSON text. */
  readonly letter: string;
}

/** A log whose block is not final. `transitions` is odd while its effect is applied. */
export interface OpenLog extends LogBlock {
  /** How often the log was applied or reverted. */
  readonly transitions: number;
}

/** Whether a log that changed this often is applied. */
export const isApplied = (transitions: number): boolean => transitions % 2 === 1;

/**
 * Keeps logs until their blocks are final. Their keys do not expire before. `once` changes them, by steps from and to
 * `applied` and `reverted`: a step gets a row only while the row has the given state and number of transitions.
 */
export interface LogStore {
  /**
   * Returns at most `limit` logs of a chain that are not final, by block number and key, with their keys as the store
   * writes them. Skips dead letters and keys whose outcome is unknown.
   *
   * @param page.numbers Only logs of these blocks. (Default: all.)
   * @param page.after Starts after this log of the previous page.
   */
  list(page: {
    chain: string;
    numbers?: readonly number[] | undefined;
    after?: { readonly blockNumber: number; readonly key: string } | undefined;
    limit: number;
  }): Promise<ReadonlyMap<string, OpenLog>>;
  /** Returns the log of a key as `list` returns it; undefined if there is none that is not final. */
  read(key: string): Promise<(KeptLog & OpenLog) | undefined>;
  /** Returns the log of an idempotency key, dead letters included. */
  find(idempotencyKey: string): Promise<(KeptLog & OpenLog) | undefined>;
  /**
   * Makes the logs final, by keys as `list` returns them, that still have this number of transitions: their rows keep
   * the key and never change again.
   */
  settle(transitions: ReadonlyMap<string, number>): Promise<unknown>;
  /**
   * Takes or extends the lease of a chain, so that one replica at a time revises its logs. Returns false while another
   * owner has it.
   */
  lead(chain: string, owner: string): Promise<boolean>;
  /** Gives the lease back. */
  yield(chain: string, owner: string): Promise<unknown>;
}
