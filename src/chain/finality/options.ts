import { checkFunction, checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../../internal/check-options.js';
import type { Logger } from '../../internal/logger.js';
import { guardedLogger } from '../logging.js';
import { readNodeOptions } from '../node-options.js';
import type { FinalityLevel } from './level.js';
import type { OnDropped } from './stage.js';

const OPTIONS = ['rpcUrl', 'level', 'chainId', 'agree', 'wait', 'onDropped', 'timeoutMs', 'logger', 'now'];
/** How many time-outs of a request a check takes at most: it may have to ask a second node when the first does not answer. */
export const CHECK_TIMEOUTS = 3;

/** Options of `chainFinality`. */
export interface ChainFinalityOptions {
  /**
   * URL of a node's JSON-RPC over HTTP, or several. The first is asked; the next ones when it fails, or for `agree`. Only
   * the origin appears in messages: the rest may contain a key.
   */
  readonly rpcUrl: string | readonly string[];
  /**
   * When a block is final: `finalized` or `safe` when the chain says so, or at a number of confirmations, where a block at
   * the head of the chain has 1.
   */
  readonly level: FinalityLevel;
  /**
   * Chain ID that all nodes must have. Without it, no event is dropped before a node has shown a block of another event.
   * (Default: that of the first node that answers.)
   */
  readonly chainId?: number | undefined;
  /** How many nodes must say the same before an event is final or dropped. (Default: 1.) */
  readonly agree?: number | undefined;
  /**
   * For a receiver without `enqueue`: `redelivery` answers events that are not final yet with 503 and Retry-After, so
   * that the sender has to send them until they are final. (Default: such a receiver refuses this finality.)
   */
  readonly wait?: 'redelivery' | undefined;
  /**
   * Sees an event that is not handled because a final block took the place of its block; at least once. If it throws, the
   * event is redelivered. (Default: the event is acknowledged.)
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
