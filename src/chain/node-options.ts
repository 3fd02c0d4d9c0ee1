import { checkNumber, optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import type { Logger } from '../internal/logger.js';
import { guardedLogger } from './logging.js';
import { rpcUrlOf } from './rpc-url.js';

/**
 * When a block counts as final: when the chain says so (`finalized`, or the weaker `safe`), or at a number of
 * confirmations, where a block at the head of the chain has 1.
 */
export type FinalityLevel = 'safe' | 'finalized' | { readonly confirmations: number };

/** A level, translated to a block tag and a distance. */
export interface Tag {
  readonly tag: 'safe' | 'finalized' | 'latest';
  /** Distance in blocks from the tag's block down to the last final block. */
  readonly depth: number;
  /**
   * Distance below the tag's block that a block needs to prove that another was replaced and its event can be dropped.
   */
  readonly depthOfOther: number;
  /** Distance below the tag's block from which a removal notice is ignored because its block is canonical. */
  readonly depthOfMoot: number;
}

/** The nodes of a chain. */
export interface NodeOptions {
  /**
   * HTTP JSON-RPC URL of an EVM node, or several. The first is asked; the others if it fails, or for `agree`. Messages
   * contain only the origins, because the rest may contain a key.
   */
  readonly rpcUrl: string | readonly string[];
  /** How many nodes must agree on a block and its logs. (Default: 1.) */
  readonly agree?: number | undefined;
  /** Logs what nodes cannot answer or prove. (Default: the console, for warnings and errors.) */
  readonly logger?: Logger | undefined;
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` that names the wrong option. */
export function readNodeOptions(
  options: NodeOptions & { readonly chainId?: unknown; readonly level: unknown; readonly timeoutMs: number },
  longestMs: number,
) {
  const { rpcUrl, chainId, agree = 1, level, timeoutMs } = options;
  const urls = (Array.isArray(rpcUrl) ? (rpcUrl as readonly unknown[]) : [rpcUrl]).map(rpcUrlOf);
  const tag = tagOf(level);
  if (urls.length === 0) throw optionError('rpcUrl', 'a URL or an array of at least one', rpcUrl);
  if (new Set(urls.map(({ href }) => href)).size < urls.length)
    throw optionError('rpcUrl', 'an array without repeated URLs', rpcUrl);
  if (chainId !== undefined && !isWhole(chainId)) throw chainIdError(chainId);
  if (!isWhole(agree) || agree > urls.length)
    throw optionError('agree', 'a whole number from 1 to the number of URLs in `rpcUrl`', agree);
  checkNumber('timeoutMs', timeoutMs, 1, longestMs);
  return { urls, chainId, agree, tag, timeoutMs, logger: guardedLogger(options.logger) };
}

export function chainIdError(chainId: unknown) {
  return optionError('chainId', 'a whole number above 0, such as 1 for Ethereum', chainId);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/**
 * Minimum confirmations to drop an event. Near the head, nodes may be on different forks, and a low number of
 * confirmations does not rule that out.
 */
const SURE_CONFIRMATIONS = 32;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when the value is not a level. */
function tagOf(level: unknown): Tag {
  if (level === 'safe' || level === 'finalized') return { tag: level, depth: 0, depthOfOther: 0, depthOfMoot: 0 };
  const confirmations = isRecord(level) && Object.keys(level).length === 1 ? level.confirmations : undefined;
  if (Number.isSafeInteger(confirmations) && (confirmations as number) >= 1) {
    const depth = (confirmations as number) - 1;
    const depthOfOther = Math.max(depth, SURE_CONFIRMATIONS - 1);
    return { tag: 'latest', depth, depthOfOther, depthOfMoot: depth + SURE_CONFIRMATIONS };
  }
  throw optionError('level', "'safe', 'finalized' or { confirmations: n } with a whole number n of at least 1", level);
}
