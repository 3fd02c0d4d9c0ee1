import { ConfigError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import type { Logger } from '../internal/logger.js';
import { createChainReader } from './chain-reader.js';
import { ChainFollower } from './follow-chain.js';
import { guardedLogger, tellUnknownOnce } from './logging.js';
import { createRpc, rpcUrlOf } from './rpc.js';
import { readWatched } from './settings.js';

/** Waits, but no longer than until the signal is given. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

const TIMEOUT_MS = 15_000;
/** A block of the largest chains has a tenth of it. */
const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_DELAY_MS = 30_000;

/** What `watchChain` is told. */
export interface WatchChainOptions {
  /** JSON-RPC over HTTP of any EVM node. What it holds behind its origin may be a key, and is never told. */
  readonly rpcUrl: string;
  /**
   * The contracts whose logs become `event.emitted`. `name` and `label` are those of the contract on the wire, and
   * `addressLabel` that of its address. (Default of `addressLabel`: the label. Default: none.)
   */
  readonly contracts?: readonly {
    readonly address: string;
    readonly abi: readonly unknown[];
    readonly name: string;
    readonly label: string;
    readonly addressLabel?: string | undefined;
  }[];
  /** Addresses whose transactions become `transaction.included`, as those of a cloud wallet do. (Default: none.) */
  readonly wallets?: readonly string[] | undefined;
  /**
   * The first block whose events are sent; `latest` for those that are mined from now on. Another chain that takes the
   * place is begun at the same number, and at block 0 for `latest`. (Default: `latest`.)
   */
  readonly fromBlock?: number | 'latest' | undefined;
  /** How often the node is asked for new blocks, in milliseconds. (Default: 1000.) */
  readonly pollIntervalMs?: number | undefined;
  /** Told what goes wrong, and what is skipped. (Default: warnings and errors go to the console.) */
  readonly logger?: Logger | undefined;
  /**
   * Takes events: those of the logs of one transaction together, in their order. It is awaited before anything else is
   * sent; when it fails, it gets the same events again.
   */
  onEvents(events: readonly WebhookEvent[]): unknown;
}

/** A chain that is being watched. */
export interface ChainWatcher {
  /** Another one when the node has another chain, from the moment that it is followed. */
  readonly chainId: number;
  /** The last block whose events have all been taken; -1 before block 0 has. */
  readonly blockNumber: number;
  /** Ends the watching, once what `onEvents` has in hand is done. Do not await it in `onEvents`. */
  close(): Promise<void>;
}

/**
 * Watches a chain through a node and turns what happens on it into the events of the service (spec sections 2.2 and
 * 6), in the order of the chain, each block once. A re-org sends the events of the logs that it removed again, the
 * last first, with `removed` in their `rawFields` and under new ids, and then those of the blocks that took the
 * place. What fails is told and tried again, for as long as it takes: no block is skipped.
 *
 * A node that has another chain than before, as anvil has when it is started again, is found out by its block 0: the
 * logger is warned, what was sent of the old chain is taken back as in a re-org, and the new one is sent from
 * `fromBlock` on, or from its block 0 for `latest`. At most the last 256 blocks (or 50 000 events) are undone; that
 * there were more is told as an error. Where a node does not give block 0, or has the same one in both chains,
 * another chain that is shorter is taken for a node that lags, and a longer one for a re-org: what it has before the
 * first block that is undone is not sent.
 *
 * It keeps no state: who wants to go on after a restart keeps `blockNumber`. It does not send anything: a service's
 * own `watchChain` does. A removed `transaction.included` has no notice in the specification, and gets none; mined
 * again, it is sent again.
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
 * @returns The watcher, once the node has answered. Close it, or the process does not end.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense; RpcError `ERR_WEBHOOK_RPC` when the node does
 * not answer at the start.
 */
export async function watchChain(options: WatchChainOptions): Promise<ChainWatcher> {
  const { fromBlock = 'latest', pollIntervalMs = 1000, onEvents } = options;
  if (fromBlock !== 'latest' && !(Number.isSafeInteger(fromBlock) && fromBlock >= 0)) {
    throw new ConfigError("fromBlock must be the number of a block, or 'latest'.");
  }
  if (!Number.isSafeInteger(pollIntervalMs) || pollIntervalMs < 1 || pollIntervalMs > 2 ** 31 - 1) {
    throw new ConfigError('pollIntervalMs must be a whole number of milliseconds above 0.');
  }
  if (typeof onEvents !== 'function') throw new ConfigError('onEvents must be a function.');
  const url = rpcUrlOf(options.rpcUrl);
  const watched = readWatched(options.contracts, options.wallets);
  const logger = guardedLogger(options.logger);

  const closing = new AbortController();
  const { signal } = closing;
  const rpc = createRpc(url, {
    timeoutMs: TIMEOUT_MS,
    retryDelayMs: Math.min(pollIntervalMs, 1000),
    maxBytes: MOST_BYTES,
    signal,
  });
  const reader = createChainReader(rpc, watched);
  /** Longer after each failure, up to half a minute. */
  const delayAfter = (failures: number) => Math.min(pollIntervalMs * 2 ** Math.min(failures, 20), LONGEST_DELAY_MS);

  async function deliver(events: readonly WebhookEvent[]): Promise<void> {
    for (let failures = 1; ; failures++) {
      signal.throwIfAborted();
      try {
        // A copy: whoever changes what he gets does not change what is sent again, or taken back.
        await onEvents(structuredClone(events));
        return;
      } catch (err) {
        const delayMs = delayAfter(failures);
        logger.error({ err, delayMs }, `onEvents failed, and gets the same events again in ${delayMs} ms.`);
        await pause(delayMs, signal);
      }
    }
  }

  const follower = new ChainFollower({ reader, watched, logger, onUnknown: tellUnknownOnce(logger), deliver });
  await follower.start(fromBlock);

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const { next } = follower;
      try {
        const hasMore = await follower.advance();
        if (failures > 0) logger.info({ blockNumber: follower.next - 1 }, 'The chain is followed again.');
        failures = 0;
        if (!hasMore) await pause(pollIntervalMs, signal);
      } catch (err) {
        if (signal.aborted) return;
        failures = follower.next > next ? 1 : failures + 1;
        const delayMs = delayAfter(failures);
        const why = err instanceof Error ? err.message : String(err);
        logger.error(
          { err, blockNumber: follower.next, delayMs },
          `${why} Block ${follower.next} is tried again in ${delayMs} ms.`,
        );
        await pause(delayMs, signal);
      }
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
