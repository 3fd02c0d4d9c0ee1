import { optionError } from '../../internal/check-options.js';
import { isRecord } from '../../internal/guards.js';

/**
 * When a block counts as final: when the chain says so (`finalized`, or the weaker `safe`), or at a number of
 * confirmations, where a block at the head of the chain has 1.
 */
export type FinalityLevel = 'safe' | 'finalized' | { readonly confirmations: number };

/** A level as nodes are asked for it. */
export interface Tag {
  readonly tag: 'safe' | 'finalized' | 'latest';
  /** How far below the tag's block the last final block is, in blocks. */
  readonly depth: number;
  /** How far below a block is before it shows that another was replaced, so that an event is dropped for good. */
  readonly depthOfOther: number;
  /** For a block that a removal notice names: how far below, before the notice is believed to be moot. */
  readonly depthOfMoot: number;
}

/**
 * Near its head, a node may have a block that other nodes have replaced, or not have replaced yet, and a low number of
 * confirmations does not rule that out.
 */
const SURE_CONFIRMATIONS = 32;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is not a level. */
export function tagOf(level: unknown): Tag {
  if (level === 'safe' || level === 'finalized') return { tag: level, depth: 0, depthOfOther: 0, depthOfMoot: 0 };
  const confirmations = isRecord(level) && Object.keys(level).length === 1 ? level.confirmations : undefined;
  if (Number.isSafeInteger(confirmations) && (confirmations as number) >= 1) {
    const depth = (confirmations as number) - 1;
    const depthOfOther = Math.max(depth, SURE_CONFIRMATIONS - 1);
    return { tag: 'latest', depth, depthOfOther, depthOfMoot: depth + SURE_CONFIRMATIONS };
  }
  throw optionError('level', "'safe', 'finalized' or { confirmations: n } with a whole number n of at least 1", level);
}
