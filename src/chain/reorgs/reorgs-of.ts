import type { Reorgs } from '../../handle/reorgs.js';
import { type ChainView, logOf } from './chain-view.js';
import { createFollow } from './follow.js';
import { createRevise } from './revise.js';
import { Settling } from './settling.js';

/** The option `reorgs` for a chain. */
export function reorgsOf(view: ChainView): Reorgs {
  return {
    idempotencyKey: view.idempotencyKey,
    logOf: logOf(view),
    follow(receiver) {
      const { pass, retry } = createRevise(view, receiver);
      const { settle, hint } = new Settling(view.intervalMs, pass, receiver);
      return {
        before: createFollow(view, receiver.keep, hint),
        retry,
        settle,
        hint(event) {
          const place = view.placeOf(event);
          if (place) hint(place.block.blockNumber);
        },
      };
    },
  };
}
