import { optionError } from '../../internal/check-options.js';
import { isRecord } from '../../internal/guards.js';

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

/**
 * Minimum confirmations to drop an event. Near the head, nodes may be on different forks, and a low number of
 * confirmations does not rule that out.
 */
const SURE_CONFIRMATIONS = 32;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when the value is not a level. */
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
