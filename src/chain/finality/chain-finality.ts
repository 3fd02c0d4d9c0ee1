import type { WebhookEvent } from '../../events/types.js';
import type { Hex } from '../../evm/types.js';
import type { Finality } from '../../handle/before.js';
import { checkFunction, checkOptions, optionError } from '../../internal/check-options.js';
import { put } from '../ancestry.js';
import type { FinalityLevel } from '../node-options.js';
import type { RpcError } from '../rpc.js';
import { type Place, placeOf } from './block-of.js';
import { ERROR_WAIT_MS, waitOf } from './finality-node.js';
import { createLook, LOOK_UP_OPTIONS, type LookUpOptions, readLookUpOptions } from './look.js';
import { type FinalityVerdict, finalityOf, type OnDropped, type Verdicts } from './stage.js';

/** Options of `chainFinality`. */
export interface ChainFinalityOptions extends LookUpOptions {
  /**
   * When a block is final: `finalized` or `safe` when the chain says so, or at a number of confirmations, where a block at
   * the head of the chain has 1.
   */
  readonly level: FinalityLevel;
  /**
   * For a receiver without `enqueue`: `redelivery` answers events that are not final yet with 503 and Retry-After, so
   * that the sender has to send them until they are final. (Default: such a receiver refuses this finality.)
   */
  readonly wait?: 'redelivery' | undefined;
  /**
   * Called, possibly more than once, for an event whose block was replaced by another final block. The event is not
   * handled. If the function throws, the event is redelivered. (Default: the event is acknowledged.)
   */
  readonly onDropped?: OnDropped | undefined;
}

/** Maximum number of remembered final blocks, about 200 bytes each. */
const MOST_FINAL = 10_000;
/** Delay in ms before the next check of an event whose block cannot be read from it. */
const UNREADABLE_WAIT_MS = 5 * 60_000;

/**
 * Creates a `finality` that asks nodes of the chain whether the block of an event is final, so that no event is handled
 * too early. An event is final when its block is an ancestor of the final block. It is dropped when another block with
 * its number is final; if `level` is a number, that block needs at least 32 confirmations. If a node lags, fails or
 * contradicts itself, the event waits. It does not verify the headers or the logs of the node, and does not prove that
 * the event's log is in its block: the delivery's signature vouches for that.
 *
 * @example
 * ```ts
 * import { chainFinality } from 'event-webhook-receiver/chain';
 *
 * // For the option `finality` of a receiver or a worker, whose `idempotencyKey` is `logIdentity`.
 * export const finality = chainFinality({
 *   rpcUrl: process.env.RPC_URL ?? 'http://127.0.0.1:8545',
 *   level: 'finalized',
 *   chainId: 1,
 * });
 * ```
 * @param options The nodes and the level; see {@link ChainFinalityOptions}.
 * @returns The finality, for the `finality` option of a receiver or a worker. It makes no request before its first
 * check.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function chainFinality(options: ChainFinalityOptions): Finality {
  return finalityOf(chainVerdicts(options));
}

export function chainVerdicts(options: ChainFinalityOptions): Verdicts {
  checkOptions('chainFinality', options, [...LOOK_UP_OPTIONS, 'level', 'wait', 'onDropped']);
  const { wait, onDropped } = options;
  const settings = readLookUpOptions(options);
  if (wait !== undefined && wait !== 'redelivery') throw optionError('wait', "'redelivery' or undefined", wait);
  if (onDropped !== undefined) checkFunction('onDropped', onDropped);
  /** Numbers of final blocks, by hash. */
  const final = new Map<Hex, number>();
  const { look } = createLook(settings, () => final.clear());

  async function verdictOn(place: Place): Promise<FinalityVerdict> {
    const { isRemoval, hash, number } = place;
    if (!isRemoval && hash && final.get(hash) === number) return FINAL;
    try {
      const finding = await look(place);
      if (typeof finding === 'object') return { status: 'pending', retryAfterMs: finding.waitMs };
      if (finding === 'same' && !isRemoval && hash) put(final, hash, number, MOST_FINAL);
      // Another final block at its number confirms a removal; the same block cancels it.
      return { status: (finding === 'same') === isRemoval ? 'dropped' : 'final', ...(isRemoval && { isRemoval }) };
    } catch (error) {
      const { retryAfterMs = ERROR_WAIT_MS } = error as Partial<RpcError>;
      return { status: 'pending', retryAfterMs: waitOf(retryAfterMs), error: error as Error };
    }
  }

  function check(events: readonly WebhookEvent[]): Promise<FinalityVerdict[]> {
    const verdicts = new Map<string, Promise<FinalityVerdict>>();
    return Promise.all(
      events.map((event): FinalityVerdict | Promise<FinalityVerdict> => {
        try {
          const place = placeOf(event);
          const verdict = verdicts.get(place.key) ?? verdictOn(place);
          verdicts.set(place.key, verdict);
          return verdict;
        } catch (error) {
          return { status: 'pending', retryAfterMs: UNREADABLE_WAIT_MS, error: error as Error };
        }
      }),
    );
  }

  return { wait, onDropped, check };
}

const FINAL: FinalityVerdict = Object.freeze({ status: 'final' });
