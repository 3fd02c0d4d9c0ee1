import type { WebhookEvent } from '../events/types.js';
import { checkFunction, checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../internal/check-options.js';
import type { Logger } from '../internal/logger.js';
import { Evidence } from './evidence.js';
import { ChainFollower } from './follow-chain.js';
import { Habits } from './habits.js';
import { guardedLogger, tellUnknownOnce } from './logging.js';
import { ChainNode } from './node.js';
import { pause, type RpcError } from './rpc.js';
import { rpcUrlOf } from './rpc-url.js';
import { readWatched, type WatchedContract } from './watched.js';

const OPTIONS = ['rpcUrl', 'contracts', 'wallets', 'fromBlock', 'pollIntervalMs', 'logger', 'onEvents'];
const TIMEOUT_MS = 15_000;
const LONGEST_DELAY_MS = 30_000;
/** The longest pause in ms that is honoured. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Options of `watchChain`. */
export interface WatchChainOptions {
  /** HTTP JSON-RPC URL of an EVM node. Messages contain only its origin, because the rest may contain a key. */
  readonly rpcUrl: string;
  /**
   * Contracts whose logs become `event.emitted`. `name`, `label` and `addressLabel` are written into the events;
   * `addressLabel` defaults to `label`. (Default: none.)
   */
  readonly contracts?: readonly WatchedContract[] | undefined;
  /** Addresses whose transactions become `transaction.included`, like those of a cloud wallet. (Default: none.) */
  readonly wallets?: readonly string[] | undefined;
  /**
   * The first block whose events are passed on; `latest` for blocks mined from now on. If the node switches to another
   * chain, watching restarts at the same number, or at block 0 for `latest`. (Default: `latest`.)
   */
  readonly fromBlock?: number | 'latest' | undefined;
  /** Interval between polls for new blocks, in milliseconds. (Default: 1000.) */
  readonly pollIntervalMs?: number | undefined;
  /** Logs failures, re-orgs and skipped logs. (Default: the console, for warnings and errors.) */
  readonly logger?: Logger | undefined;
  /**
   * Handles events; those of one transaction's logs come together and in order. It is awaited before the next call. If
   * it fails, it is called again with the same events, after a delay that grows to 30 seconds.
   */
  onEvents(events: readonly WebhookEvent[]): unknown;
}

/** A chain that is being watched. */
export interface ChainWatcher {
  /** ID of the chain; changes when the node switches to another chain. */
  readonly chainId: number;
  /** The last block whose events were all handled; -1 before block 0. */
  readonly blockNumber: number;
  /** Stops, and resolves once a running `onEvents` has settled. Do not await it in `onEvents`. */
  close(): Promise<void>;
}

/**
 * Watches a chain through a node and passes its events to `onEvents` in the service's format (spec sections 2.2 and 6),
 * in the order of the chain, without skipping a block; a failed request or handler is retried until it succeeds. It
 * does not verify the node's data, wait for confirmations, send or sign.
 *
 * **Delivery.** While the process runs, each event is passed on until `onEvents` resolves, so at least once. No state
 * is kept: store `blockNumber` to resume with `fromBlock: blockNumber + 1` after a restart. Event ids are random, so
 * deduplicate by `logIdentity` of `./evm`. A re-org while the process is down goes unnoticed.
 *
 * **Re-orgs.** The events of removed logs are passed on again, last first, with `removed` in their `rawFields` and new
 * ids, then the events of the new blocks. At most the last 256 blocks (or 50 000 events) are undone; a deeper re-org is
 * logged as an error. The specification has no notice for a removed `transaction.included`: it is not undone, and is
 * passed on again when it is mined again.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { watchChain } from 'event-webhook-receiver/chain';
 *
 * const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
 * const token = { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', abi, name: 'Token', label: 'token' };
 *
 * export const watcher = await watchChain({
 *   rpcUrl: 'http://127.0.0.1:8545',
 *   contracts: [token],
 *   onEvents: (events) => console.log(events.map(({ id }) => id)),
 * });
 * ```
 * @param options The node, what to watch, and the handler; see {@link WatchChainOptions}.
 * @returns The watcher, once the node has answered. It keeps the process running until it is closed.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid; RpcError `ERR_WEBHOOK_RPC`
 * when the node does not answer at the start.
 */
export async function watchChain(options: WatchChainOptions): Promise<ChainWatcher> {
  checkOptions('watchChain', options, OPTIONS);
  const { fromBlock = 'latest', pollIntervalMs = 1000, onEvents } = options;
  if (fromBlock !== 'latest' && !(Number.isSafeInteger(fromBlock) && fromBlock >= 0)) {
    throw optionError('fromBlock', "the number of a block or 'latest'", fromBlock);
  }
  checkNumber('pollIntervalMs', pollIntervalMs, 1, MAX_TIMER_MS);
  checkFunction('onEvents', onEvents);
  const url = rpcUrlOf(options.rpcUrl);
  const logger = guardedLogger(options.logger);
  const watched = readWatched('watchChain', options.contracts, options.wallets, logger);

  const closing = new AbortController();
  const { signal } = closing;
  const node = new ChainNode(url, { timeoutMs: TIMEOUT_MS, signal });
  const evidence = new Evidence(watched, new Habits(logger));
  /** Doubles with each failure, up to 30 seconds. */
  const delayAfter = (failures: number) => Math.min(pollIntervalMs * 2 ** Math.min(failures, 20), LONGEST_DELAY_MS);

  async function deliver(events: readonly WebhookEvent[]): Promise<void> {
    for (let failures = 1; ; failures++) {
      signal.throwIfAborted();
      try {
        // A copy, because a handler may modify its events, which are needed for retries and re-orgs.
        await onEvents(structuredClone(events));
        return;
      } catch (err) {
        const delayMs = delayAfter(failures);
        logger.error({ err, delayMs }, `onEvents failed. It is called again with the same events in ${delayMs} ms.`);
        await pause(delayMs, signal);
      }
    }
  }

  const follower = new ChainFollower({ node, evidence, logger, onUnknown: tellUnknownOnce(logger), deliver });

  let told = '';
  /** Logs a failure when it is new and at growing intervals while it lasts, then waits for as long as the node asks. */
  async function waitAfter(err: unknown, failures: number): Promise<void> {
    const why = err instanceof Error ? err.message : String(err);
    const { retryAfterMs = 0 } = Object(err) as Partial<RpcError>;
    const delayMs = Math.max(delayAfter(failures), Math.min(retryAfterMs, LONGEST_PAUSE_MS));
    const isDue = why !== told || Number.isInteger(Math.log2(failures));
    told = why;
    const fields = { err, blockNumber: follower.next, delayMs };
    logger[isDue ? 'error' : 'debug'](fields, `${why} Retrying block ${follower.next} in ${delayMs} ms.`);
    await pause(delayMs, signal);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const { next } = follower;
      try {
        const hasMore = await follower.advance();
        if (failures > 0) logger.info({ blockNumber: follower.next - 1 }, 'The node answers again.');
        failures = 0;
        if (!hasMore) await pause(pollIntervalMs, signal);
      } catch (err) {
        if (signal.aborted) return;
        failures = follower.next > next ? 1 : failures + 1;
        await waitAfter(err, failures);
      }
    }
  }

  for (let failures = 1; ; failures++) {
    try {
      await follower.start(fromBlock);
      break;
    } catch (err) {
      if (((err as RpcError).retryAfterMs ?? Infinity) > LONGEST_PAUSE_MS) throw err;
      await waitAfter(err, failures);
    }
  }
  const running = run();

  return {
    get chainId() {
      return follower.chainId;
    },
    get blockNumber() {
      return follower.next - 1;
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
