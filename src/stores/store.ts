/** What a store tells a run, and wants to be told by it. */
export interface RunOptions {
  /** Called when the handler's time is up while it still runs: its event was answered as failed. */
  readonly onTimeout?: ((error: Error) => void) | undefined;
  /** How much of the lease is left, by the clocks: a handler that needs more is not started. */
  readonly remainingMs?: (() => number) | undefined;
  /** A number that grows with each claim of the key, for the handler to fence effects elsewhere with. */
  readonly fencingToken?: bigint | undefined;
}

/**
 * Remembers which idempotency keys have taken effect. A store around another one passes on `leaseMs` and `unrecorded`, and
 * the arguments of `run`. One method, so that a store decides itself how it claims a key
 * and how it commits: `run` succeeds at most once per key, a failed run can be tried again, and a holder that died is
 * taken over from.
 */
export interface IdempotencyStore<Tx = undefined> {
  /**
   * How long a key is held for a run that does not come back, in milliseconds; absent when it is held for as long as
   * the run lives. A receiver gives its handlers nine tenths of it at most, so that no live handler is taken over from.
   */
  readonly leaseMs?: number | undefined;
  /**
   * A store that holds keys by leases checks the clock in the synchronous turn in which it calls `run`: the process may
   * have been frozen since the claim was answered.
   *
   * @param key The idempotency key. Any string.
   * @param run The work; call it once. Rejecting means that it took no effect and may be tried again. It settles when the
   * handler does, also when that is after its time-out: until then the key stays held, for as long as its lease lasts. A
   * store that can undo the effect instead passes `onTimeout`, rolls back and frees the key.
   * @returns `handled` when `run` was called and resolved; `duplicate` when the key had taken effect before;
   * `in-progress` when somebody else holds the key and has not finished.
   * @throws What `run` threw, or the store's own error: then it is not known whether the key was recorded.
   */
  once(
    key: string,
    run: (tx: Tx, options?: RunOptions) => Promise<void>,
  ): Promise<'handled' | 'duplicate' | 'in-progress'>;
  /** Records of successful runs that are still being retried after `once` has rejected. `drain` waits for them. */
  unrecorded?(): readonly Promise<unknown>[];
}
