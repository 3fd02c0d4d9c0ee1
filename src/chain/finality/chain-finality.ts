import type { WebhookEvent } from '../../events/types.js';
import { rawLog } from '../../evm/raw-log.js';
import type { Hex, RawLog } from '../../evm/types.js';
import type { Finality } from '../../handle/before.js';
import { checkFunction, checkOptions, optionError } from '../../internal/check-options.js';
import type { FinalityLevel } from '../node-options.js';
import { type Place, placeOf } from './block-of.js';
import { put } from './known-blocks.js';
import { createLook, LOOK_UP_OPTIONS, type LookUpOptions, readLookUpOptions } from './look.js';
import { ERROR_WAIT_MS } from './node.js';
import type { Say } from './node-look-ups.js';
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
  const isKnown = ({ hash, number }: Place) => hash !== undefined && final.get(hash) === number;
  const { look } = createLook(settings, () => final.clear());

  async function checkAll(events: readonly WebhookEvent[], signal?: AbortSignal): Promise<FinalityVerdict[]> {
    const places = events.map(readPlace);
    const unknown = new Map<string, Place>();
    for (const place of places) {
      if ('key' in place && (place.isRemoval || !isKnown(place))) unknown.set(place.key, place);
    }
    let says: ReadonlyMap<string, Say> | undefined;
    let failure: unknown;
    try {
      if (unknown.size > 0) says = await look([...unknown.values()], signal);
    } catch (error) {
      failure = error;
    }
    return places.map((place) => {
      if (!('key' in place)) return { status: 'pending', retryAfterMs: UNREADABLE_WAIT_MS, error: place };
      if (!unknown.has(place.key)) return FINAL;
      const say = says?.get(place.key);
      if (say?.kind === 'same' && !place.isRemoval && place.hash) put(final, place.hash, place.number, MOST_FINAL);
      if (say) return verdictOf(say, place);
      return { status: 'pending', retryAfterMs: ERROR_WAIT_MS, error: failure as Error };
    });
  }

  return { wait, onDropped, isFinal: (event) => isFinalBlockOf(event, final), check: checkAll };
}

/** Whether an event's block is known to be final. Most events share a block with another, so this must be cheap. */
function isFinalBlockOf(event: WebhookEvent, final: ReadonlyMap<Hex, number>): boolean {
  if (event.event !== 'event.emitted' || event.data.event.rawFields === undefined) return false;
  try {
    const log = rawLog(event) as RawLog;
    return !log.removed && final.get(log.blockHash) === Number(log.blockNumber);
  } catch {
    // The verdict carries the error.
    return false;
  }
}

const FINAL: FinalityVerdict = Object.freeze({ status: 'final' });

function readPlace(event: WebhookEvent): Place | Error {
  try {
    return placeOf(event);
  } catch (error) {
    return error as Error;
  }
}

/** For a removal notice, a different final block at its number confirms the removal; the same block cancels it. */
function verdictOf(say: Say, { isRemoval }: Place): FinalityVerdict {
  if (say.kind === 'ahead') return { status: 'pending', retryAfterMs: say.waitMs };
  if (say.kind === 'unknown') return { status: 'pending', retryAfterMs: say.waitMs, error: say.error };
  if ((say.kind === 'same') === isRemoval) return isRemoval ? { status: 'dropped', isRemoval } : { status: 'dropped' };
  return isRemoval ? { status: 'final', isRemoval } : FINAL;
}
