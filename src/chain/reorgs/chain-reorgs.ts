import type { WebhookEvent } from '../../events/types.js';
import { logIdentity, rawLog } from '../../evm/raw-log.js';
import type { Hex } from '../../evm/types.js';
import type { Reorgs } from '../../handle/reorgs.js';
import { checkNumber, checkOptions, MAX_TIMER_MS } from '../../internal/check-options.js';
import { withDeadline } from '../../internal/time.js';
import type { LogBlock } from '../../stores/log-store.js';
import { put } from '../ancestry.js';
import { placeOf } from '../finality/block-of.js';
import { createLook, LOOK_UP_OPTIONS, type LookUpOptions, readLookUpOptions } from '../finality/look.js';
import type { Finding } from '../finality/node-look-ups.js';
import type { FinalityLevel } from '../node-options.js';
import { isWithin, NodePool } from '../node-pool.js';
import { type BlockVerdict, type ChainView, logOf } from './chain-view.js';
import { createFollow } from './follow.js';
import { createRevise } from './revise.js';
import { Settling } from './settling.js';

/** Options of `chainReorgs`. */
export interface ChainReorgsOptions extends LookUpOptions {
  /**
   * When a block is final, so that its events do not change any more. With `{ confirmations: n }`, a deeper re-org is
   * not undone. (Default: `finalized`.)
   */
  readonly level?: FinalityLevel | undefined;
  /**
   * How often the receiver looks for re-orgs, in ms; `false` where no timer runs between requests: then call
   * `settleReorgs`, for example from cron. (Default: 15 000.)
   */
  readonly intervalMs?: number | false | undefined;
}

/** How long a delivery may use an earlier answer, in ms. */
const RECENT_MS = 1000;
/** How long a delivery waits for nodes, in ms: it is applied if they do not answer, and settled later. */
const DELIVERY_MS = 1000;

/**
 * Creates a `reorgs`, with which a receiver handles events at once and undoes them when their block leaves the chain.
 * At rest, the effect of each log that was delivered exists if and only if its block is on the chain. Only the chain
 * decides: a removal notice makes the receiver look sooner, and never reaches `onEvent`. An effect is reverted only
 * when `agree` nodes show another block at the same number; a node that lags, fails or has no block proves nothing.
 *
 * @example
 * ```ts
 * import { chainReorgs } from 'event-webhook-receiver/chain';
 *
 * // For the option `reorgs` of a receiver with a transactional store and `onReverted`.
 * export const reorgs = chainReorgs({ rpcUrl: process.env.RPC_URL ?? 'http://127.0.0.1:8545', chainId: 1 });
 * ```
 * @param options The nodes and the chain; see {@link ChainReorgsOptions}.
 * @returns The value for the receiver's `reorgs` option. It makes no request before the first event.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function chainReorgs(options: ChainReorgsOptions): Reorgs {
  return reorgsOf(chainView(options));
}

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

export function chainView(options: ChainReorgsOptions): ChainView {
  checkOptions('chainReorgs', options, [...LOOK_UP_OPTIONS, 'level', 'intervalMs']);
  const { chainId, level = 'finalized', intervalMs = 15_000 } = options;
  const settings = readLookUpOptions({ ...options, level });
  if (intervalMs !== false) checkNumber('intervalMs', intervalMs, 1, MAX_TIMER_MS);
  const { logger, agree, timeoutMs, now } = settings;
  const { look, nodes } = createLook(settings, () => {});
  const chain = String(chainId);
  const pool = new NodePool(nodes, agree, now);
  /** The last answers for deliveries. */
  const recent = new Map<number, { readonly hash: Promise<string | undefined>; readonly at: number }>();
  let isWarned = false;
  /** The last reason for which re-orgs wait. */
  let told: string | undefined;

  /** Warns once of an event that is handled as without `reorgs`. */
  function warn(event: WebhookEvent, why: string): undefined {
    if (isWarned) return;
    isWarned = true;
    logger.warn({ kind: event.event, id: event.id }, `A re-org does not undo events like this one: ${why}.`);
  }

  return {
    chainId,
    intervalMs,
    idempotencyKey: (event) => logIdentity(event, { chainId }),

    placeOf(event) {
      if (event.event !== 'event.emitted') return warn(event, `${event.event} has no position of a log`);
      try {
        const place = placeOf(event);
        const logIndex = rawLog(event)?.logIndex ?? event.data.event.indexInLog;
        if (place.hash === undefined || !Number.isSafeInteger(logIndex))
          return warn(event, 'it has no position of its log');
        const block = { chain, blockNumber: place.number, blockHash: place.hash };
        return { block, logIndex, isRemoval: place.isRemoval };
      } catch (error) {
        return warn(event, (error as Error).message);
      }
    },

    async replaced(blocks) {
      const shown = await Promise.all(blocks.map(({ blockNumber }) => recentHashAt(blockNumber)));
      const replaced = blocks.filter(({ blockHash }, at) => shown[at] !== undefined && shown[at] !== blockHash);
      return new Set(replaced.map(({ blockHash }) => blockHash));
    },

    async verdicts(blocks) {
      const verdicts = new Map<string, BlockVerdict>();
      const unique = new Map(blocks.map((block) => [block.blockHash, block]));
      if (unique.size === 0) return verdicts;
      // Finality first: a hash that was read before its number was final may have been replaced since.
      const finals = await finality([...unique.values()]);
      const numbers = new Set<number>();
      for (const block of unique.values()) {
        const finding = finals.get(block);
        if (finding === 'same' || finding === 'other') {
          verdicts.set(block.blockHash, { isCanonical: finding === 'same', isFinal: true });
        } else numbers.add(block.blockNumber);
      }
      const shown = new Map(await Promise.all([...numbers].map(async (each) => [each, await hashAt(each)] as const)));
      for (const { blockHash, blockNumber } of unique.values()) {
        const hash = shown.get(blockNumber);
        if (hash && !verdicts.has(blockHash))
          verdicts.set(blockHash, { isCanonical: hash === blockHash, isFinal: false });
      }
      return verdicts;
    },
  };

  /** The hash at a number in which `agree` nodes agree; undefined if too few answer, or if they contradict each other. */
  async function hashAt(number: number): Promise<string | undefined> {
    const asking = pool.ask(async (node) => {
      await node.checkChain(chainId);
      return node.hashAt(number);
    });
    const hashes = await asking.catch(() => []);
    return hashes.every((hash) => hash === hashes[0]) ? hashes[0] : undefined;
  }

  /** The hash at a number for a delivery. It may be a second old, or missing. */
  function recentHashAt(number: number): Promise<string | undefined> {
    const known = recent.get(number);
    const hash = known && isWithin(now() - known.at, RECENT_MS) ? known.hash : hashAt(number);
    if (hash !== known?.hash) put(recent, number, { hash, at: now() });
    const late = new Error('No node answered in time.');
    return withDeadline(hash, Math.min(DELIVERY_MS, timeoutMs), () => late).catch(() => undefined);
  }

  /** The answers on finality of blocks. */
  async function finality(blocks: readonly LogBlock[]): Promise<ReadonlyMap<LogBlock, Finding>> {
    const findings = new Map<LogBlock, Finding>();
    const asking = blocks.map(async (block) => {
      const { blockNumber: number, blockHash } = block;
      const place = { key: `${number}:${blockHash}`, number, hash: blockHash as Hex, isRemoval: false };
      findings.set(block, await look(place));
    });
    const failed = (await Promise.allSettled(asking)).find(({ status }) => status === 'rejected');
    tell((failed as PromiseRejectedResult | undefined)?.reason);
    return findings;
  }

  /** Logs why re-orgs wait, once for each reason in a row. */
  function tell(error: Error | undefined): void {
    if (error && error.message !== told)
      logger.warn({ err: error }, `The check for re-orgs failed and is repeated: ${error.message}`);
    told = error?.message;
  }
}
