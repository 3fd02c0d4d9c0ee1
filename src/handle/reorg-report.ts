/** Options of `settleReorgs`. */
export interface SettleOptions {
  /** Ends the pass between two events. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a pass over the logs whose blocks are not final. */
export interface ReorgReport {
  /** Events that took effect because their block is on the chain: again, or for the first time. */
  readonly applied: number;
  /** Events whose effect was reverted. */
  readonly reverted: number;
  /** Events whose handler failed, or that could not be read; the next pass tries them again. */
  readonly failed: number;
  /** Events whose block became final, so that they do not change any more. */
  readonly final: number;
  /** Events whose block is not final. */
  readonly open: number;
  /** Number of the lowest block of these. */
  readonly oldestBlock?: number | undefined;
  /** Whether another replica was at work, so that this pass did nothing. */
  readonly isElsewhere: boolean;
}
