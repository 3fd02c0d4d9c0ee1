import type { WebhookEvent } from '../../events/types.js';
import { letterText } from '../../handle/dead-letter.js';
import type { LogOf } from '../../handle/once.js';
import type { Reorgs } from '../../handle/reorgs.js';
import type { LogBlock } from '../../stores/log-store.js';

/** Whether a block is on the chain, and whether that can still change. */
export interface BlockVerdict {
  readonly isCanonical: boolean;
  readonly isFinal: boolean;
}

/** Where an event's log is. */
export interface LogPlace {
  readonly block: LogBlock;
  readonly logIndex: number;
  /** Whether the event is a notice that the log was removed. */
  readonly isRemoval: boolean;
}

/** The chain that effects follow. */
export interface ChainView {
  readonly chainId: number;
  readonly idempotencyKey: Reorgs['idempotencyKey'];
  /** How often a receiver looks for re-orgs, in ms; false: only when `settleReorgs` is called. */
  readonly intervalMs: number | false;
  /** The place of an event's log; undefined if the event does not give it. Never throws. */
  placeOf(event: WebhookEvent): LogPlace | undefined;
  /** Returns the hashes of the blocks that a node shows to be replaced now. Never rejects. */
  replaced(blocks: readonly LogBlock[]): Promise<ReadonlySet<string>>;
  /**
   * Returns the verdict on each block, by hash. Asks whether the block is final before it asks whether the block is on
   * the chain, so that the second answer is never older. A block without a verdict is unknown. Never rejects.
   */
  verdicts(blocks: readonly LogBlock[]): Promise<ReadonlyMap<string, BlockVerdict>>;
}

/** The events of a chain as stores keep their logs. */
export function logOf({ placeOf }: ChainView): LogOf {
  return (event, key, source) => {
    const block = placeOf(event)?.block;
    return block && { ...block, letter: letterText(key, event, source) };
  };
}
