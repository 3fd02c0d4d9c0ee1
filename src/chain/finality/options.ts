import { checkFunction, checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../../internal/check-options.js';
import type { Logger } from '../../internal/logger.js';
import { guardedLogger } from '../logging.js';
import { readNodeOptions } from '../node-options.js';
import type { FinalityLevel } from './level.js';
import type { OnDropped } from './stage.js';

const OPTIONS = ['rpcUrl', 'level', 'chainId', 'agree', 'wait', 'onDropped', 'timeoutMs', 'logger', 'now'];
/** Maximum duration of a check in request time-outs: it may ask a second node when the first does not answer. */
export const CHECK_TIMEOUTS = 3;

/** Options of `chainFinality`. */
export interface ChainFinalityOptions {
  /**
   * HTTP JSON-RPC URL of a node, or several. The first is asked; the others if it fails, or for `agree`. Messages
   * contain only the origin, because the rest may contain a key.
   */
  readonly rpcUrl: string | readonly string[];
  /**
   * When a block is final: `finalized` or `safe` when the chain says so, or at a number of confirmations, where a block at
   * the head of the chain has 1.
   */
  readonly level: FinalityLevel;
  /**
   * Chain ID that all nodes must have. Without it, no event is dropped before a node has returned the block of another
   * event. (Default: that of the first node that answers.)
   */
  readonly chainId?: number | undefined;
  /** How many nodes must agree before an event is final or dropped. (Default: 1.) */
  readonly agree?: number | undefined;
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
  /** Time-out of a request to a node, in milliseconds. A check takes at most three times as long. (Default: 5000.) */
  readonly timeoutMs?: number | undefined;
  /** Logs when final blocks were replaced. (Default: the console, for warnings and errors.) */
  readonly logger?: Logger | undefined;
  /** Clock in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` that names the wrong option. */
export function readOptions(options: ChainFinalityOptions) {
  checkOptions('chainFinality', options, OPTIONS);
  const { rpcUrl, level, wait, onDropped, timeoutMs = 5000, now = Date.now } = options;
  const nodes = readNodeOptions({ rpcUrl, level, chainId: options.chainId, agree: options.agree });
  if (wait !== undefined && wait !== 'redelivery') throw optionError('wait', "'redelivery' or undefined", wait);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS / CHECK_TIMEOUTS);
  checkFunction('now', now);
  if (onDropped !== undefined) checkFunction('onDropped', onDropped);
  return { ...nodes, wait, onDropped, timeoutMs, now, logger: guardedLogger(options.logger) };
}
