import { ConfigError } from '../../errors.js';
import type { EventItem } from '../../events/parse-delivery.js';
import type { EventOutcome } from '../../handle/answer.js';
import type { Before } from '../../handle/before.js';
import { keyOf } from '../../handle/idempotency-key.js';
import { stepOf } from '../../handle/once.js';
import type { HandleEach } from '../../handle/run-each.js';
import type { LogBlock } from '../../stores/log-store.js';
import type { Step } from '../../stores/store.js';
import { put } from '../ancestry.js';
import { type ChainView, logOf } from './chain-view.js';

/**
 * Decides which events of a delivery to apply. A removal notice only requests a pass. An event whose block was replaced
 * is kept as reverted, so that a pass can apply it if the block returns.
 *
 * @param keep Records a step without calling the handler.
 * @param hint Asks for a pass over the blocks of a number soon.
 */
export function createFollow(view: ChainView, keep: HandleEach, hint: (blockNumber: number) => void): Before {
  const kept = logOf(view);
  /** Hashes of the last blocks with events, by number. */
  const seen = new Map<number, string>();

  function note({ blockNumber, blockHash }: LogBlock): void {
    const other = seen.get(blockNumber);
    if (other !== undefined && other !== blockHash) hint(blockNumber);
    put(seen, blockNumber, blockHash);
  }

  return async (keys, about) => {
    const outcomes = new Map<EventItem, EventOutcome>();
    const blocks = new Map<EventItem, LogBlock>();
    for (const [item, idempotencyKey] of keys) {
      const place = view.placeOf(item.event);
      if (!place) continue;
      const { block } = place;
      if (place.isRemoval) {
        hint(block.blockNumber);
        outcomes.set(item, { status: 'dropped', item, idempotencyKey });
      } else if (keyOf(view.idempotencyKey, item.event, about.source) === idempotencyKey) {
        note(block);
        blocks.set(item, block);
      } else outcomes.set(item, { status: 'failed', item, idempotencyKey, error: new ConfigError(WRONG_KEY) });
    }
    const replaced = blocks.size > 0 ? await view.replaced([...blocks.values()]) : new Set();
    for (const [item, { blockHash, blockNumber }] of blocks) {
      if (!replaced.has(blockHash)) continue;
      hint(blockNumber);
      const key = keys.get(item) as string;
      const items = new Map([[key, item]]);
      const step: Step = { ...stepOf(items, about, kept), to: 'reverted' };
      for (const outcome of await keep(items, { ...about, step })) {
        outcomes.set(item, outcome.status === 'handled' ? { ...outcome, status: 'dropped' } : outcome);
      }
    }
    return outcomes;
  };
}

const WRONG_KEY =
  '`reorgs` requires `logIdentity` of its chain as the idempotency key. Remove the option `idempotencyKey`, or return `logIdentity(event, { chainId })`.';
