import { ConfigError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { DELIVERY, type KeptLog, type LogBlock, RETRY, type Step } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import type { Items } from './attempt.js';
import type { Before } from './before.js';
import type { AboutDelivery } from './context.js';
import { type IdempotencyKey, keyOf } from './idempotency-key.js';
import { letterText } from './letter-text.js';
import { recordsOf } from './records.js';
import type { HandleOnce } from './run-each.js';

/** Whether a block is on the chain, and whether that can still change. */
export interface BlockVerdict {
  readonly isCanonical: boolean;
  readonly isFinal: boolean;
}

/** The option `reorgs`: which blocks the effects of events depend on. `chainReorgs` of `./chain` creates one. */
export interface Reorgs {
  /** Identifies the chain, such as `1` for Ethereum. */
  readonly chain: string;
  /** The default of the receiver's `idempotencyKey`, and the only key that it may return. */
  readonly idempotencyKey: IdempotencyKey;
  /** How often a receiver looks for re-orgs, in ms; false: only when `settleReorgs` is called. */
  readonly intervalMs: number | false;
  /** The block and position of an event's log; undefined if the event does not give them. Never throws. */
  placeOf(event: WebhookEvent): { readonly block: LogBlock; readonly logIndex: number } | undefined;
  /** Whether the event is a notice that its log was removed. Never throws. */
  isRemoval(event: WebhookEvent): boolean;
  /** Returns the hashes of the blocks that a node shows to be replaced now. Never rejects. */
  replaced(blocks: readonly LogBlock[]): Promise<ReadonlySet<string>>;
  /**
   * Returns the verdict on each block, by hash: that on finality first, then the block's place on the chain, from answers
   * that are no older. A block without a verdict is unknown. Never rejects.
   */
  verdicts(blocks: readonly LogBlock[]): Promise<ReadonlyMap<string, BlockVerdict>>;
}

/** Whether a log that changed this often is applied. */
export const isApplied = (transitions: number): boolean => transitions % 2 === 1;

/** The logs of events, by key, as the store keeps them. */
export function logsOf(reorgs: Reorgs, items: Items, source: string | undefined): Map<string, KeptLog> {
  const logs = new Map<string, KeptLog>();
  for (const [key, { event }] of items) {
    const block = reorgs.placeOf(event)?.block;
    if (block) logs.set(key, { ...block, letter: letterText(key, event, source) });
  }
  return logs;
}

/** The step of a delivery, or of a retry. */
export function stepOf(reorgs: Reorgs | undefined, items: Items, about: AboutDelivery): Step {
  // A retry leaves the record of the delivery.
  if (about.retryOf !== undefined) return RETRY;
  const records = recordsOf(items, about);
  if (!reorgs) return { ...DELIVERY, records };
  return { from: 'free', to: 'applied', records, logs: logsOf(reorgs, items, about.source) };
}

/**
 * Decides which events of a delivery are applied: not removal notices, which only ask for a pass, and not events whose
 * block a node shows to be replaced. Those are kept as reverted, so that a pass can apply them if the block returns.
 *
 * @param keep Takes a step without calling user code.
 * @param hint Asks for a pass over the blocks of a number soon.
 */
export function createFollow(reorgs: Reorgs, keep: HandleOnce, hint: (blockNumber: number) => void): Before {
  /** Hashes of the last blocks with events, by number. */
  const seen = new Map<number, string>();

  function note({ blockNumber, blockHash }: LogBlock): void {
    const other = seen.get(blockNumber);
    if (other !== undefined && other !== blockHash) hint(blockNumber);
    seen.delete(blockNumber);
    seen.set(blockNumber, blockHash);
    if (seen.size > MOST_SEEN) for (const oldest of seen.keys()) if (seen.delete(oldest)) break;
  }

  return async (keys, about) => {
    const outcomes = new Map<EventItem, EventOutcome>();
    const blocks = new Map<EventItem, LogBlock>();
    for (const [item, idempotencyKey] of keys) {
      const block = reorgs.placeOf(item.event)?.block;
      if (!block) continue;
      if (reorgs.isRemoval(item.event)) {
        hint(block.blockNumber);
        outcomes.set(item, { status: 'dropped', item, idempotencyKey });
      } else if (keyOf(reorgs.idempotencyKey, item.event, about.source) === idempotencyKey) {
        note(block);
        blocks.set(item, block);
      } else outcomes.set(item, { status: 'failed', item, idempotencyKey, error: new ConfigError(WRONG_KEY) });
    }
    const replaced = blocks.size > 0 ? await reorgs.replaced([...blocks.values()]) : new Set();
    for (const [item, { blockHash, blockNumber }] of blocks) {
      if (!replaced.has(blockHash)) continue;
      hint(blockNumber);
      const key = keys.get(item) as string;
      const items = new Map([[key, item]]);
      const step: Step = { ...stepOf(reorgs, items, about), to: 'reverted' };
      const outcome = await keep(item, key, { ...about, step });
      outcomes.set(item, outcome.status === 'handled' ? { ...outcome, status: 'dropped' } : outcome);
    }
    return outcomes;
  };
}

const MOST_SEEN = 4096;
const WRONG_KEY =
  'With `reorgs`, the key of an event must be that of its log. Leave out the option `idempotencyKey`, or return `logIdentity(event, { chainId })` with the chain of `reorgs`.';
