import { checkFunction, MAX_TIMER_MS } from '../../internal/check-options.js';
import { withDeadline } from '../../internal/time.js';
import { chainIdError, type NodeOptions, readNodeOptions } from '../node-options.js';
import { NodePool } from '../node-pool.js';
import { RpcError } from '../rpc.js';
import type { Place } from './block-of.js';
import { FinalityNode } from './finality-node.js';
import { type Finding, NodeLookUps } from './node-look-ups.js';

/** Options that `chainFinality` and `chainReorgs` share. */
export interface LookUpOptions extends NodeOptions {
  /** Chain ID that all nodes must have. */
  readonly chainId: number;
  /** Time-out of a request to a node, in milliseconds. A look-up takes at most three times as long. (Default: 5000.) */
  readonly timeoutMs?: number | undefined;
  /** Clock in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

export const LOOK_UP_OPTIONS = ['rpcUrl', 'chainId', 'agree', 'timeoutMs', 'logger', 'now'];

/** Maximum duration of a look-up in request time-outs: it may ask a second node when the first does not answer. */
const TIMEOUTS = 3;

export type LookUpSettings = ReturnType<typeof readLookUpOptions>;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` that names the wrong option. */
export function readLookUpOptions(options: LookUpOptions & { readonly level: unknown }) {
  const { chainId, timeoutMs = 5000, now = Date.now } = options;
  const nodes = readNodeOptions({ ...options, timeoutMs }, MAX_TIMER_MS / TIMEOUTS);
  if (chainId === undefined) throw chainIdError(chainId);
  checkFunction('now', now);
  return { ...nodes, chainId, now };
}

/**
 * Creates the nodes, and a function that asks `agree` of them whether a block is final. It rejects if too few answer, or
 * if they contradict each other.
 *
 * @param onContradiction Called when final blocks were replaced.
 */
export function createLook(settings: LookUpSettings, onContradiction: () => void) {
  const { urls, tag, chainId, agree, timeoutMs, now, logger } = settings;
  const nodes = urls.map((url) => new FinalityNode(url, { tag, timeoutMs, now }));
  const lookUps = nodes.map((node) => new NodeLookUps({ node, chainId, logger, now, onContradiction }));
  const pool = new NodePool(lookUps, agree, now);

  async function ask(place: Place): Promise<Finding> {
    const findings = await pool.ask((node) => node.look(place));
    if (findings.includes('same') && findings.includes('other')) {
      // One of the nodes is wrong about this place: forget the cached answers of all.
      for (const node of lookUps) node.doubt(place);
      throw new RpcError(DISAGREE, { reason: 'malformed' });
    }
    return findings.find((finding) => typeof finding === 'object') ?? (findings[0] as Finding);
  }

  const late = () =>
    new RpcError(`The look-up of blocks at ${nodes[0]?.origin} took longer than ${timeoutMs * TIMEOUTS} ms.`, {
      reason: 'timeout',
    });
  // Requests in progress are not aborted: other look-ups share them, and the next ones use their answers.
  return { nodes, look: (place: Place) => withDeadline(ask(place), timeoutMs * TIMEOUTS, late) };
}

const DISAGREE =
  'The nodes of `rpcUrl` have different final blocks at the same number. Check that all are of one chain.';
