import type { Logger } from '../../internal/logger.js';
import type { NodeOptions } from '../node-options.js';
import { RpcError } from '../rpc.js';
import type { Place } from './block-of.js';
import { type ExpectedChain, FinalityNode } from './node.js';
import { NodeLookUps, type Say } from './node-look-ups.js';
import { CHECK_TIMEOUTS } from './options.js';
import { askNodes } from './quorum.js';

interface LookOptions extends NodeOptions {
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly logger: Logger;
  /** Called when final blocks were replaced. */
  readonly onContradiction: () => void;
}

/** Creates the nodes, and a function that asks them whether blocks are final. */
export function createLook({ urls, tag, chainId, agree, timeoutMs, now, logger, onContradiction }: LookOptions) {
  const chain: ExpectedChain = { id: chainId, isGiven: chainId !== undefined };
  const nodes = urls.map((url) => new FinalityNode({ url, tag, chain, timeoutMs, now }));
  const lookUps = nodes.map((node) => new NodeLookUps({ node, tag, chain, logger, now, onContradiction }));

  /** The answers for places, by key. Rejects with RpcError. */
  async function look(places: readonly Place[], given?: AbortSignal): Promise<ReadonlyMap<string, Say>> {
    const checking = new AbortController();
    const end = () => checking.abort();
    const timer = setTimeout(end, timeoutMs * CHECK_TIMEOUTS);
    given?.addEventListener('abort', end);
    if (given?.aborted) end();
    try {
      checking.signal.throwIfAborted();
      // Requests in progress are not aborted: other checks share them, and the next check uses their answers.
      return await Promise.race([
        askNodes(places, lookUps, { agree, now, signal: checking.signal }),
        abortion(checking.signal),
      ]);
    } catch (error) {
      if (!checking.signal.aborted) throw error;
      const [what, reason] = given?.aborted
        ? (['was aborted by the caller', 'aborted'] as const)
        : ([`took longer than ${timeoutMs * CHECK_TIMEOUTS} ms`, 'timeout'] as const);
      throw new RpcError(`The look-up of blocks at ${nodes[0]?.origin} ${what}.`, { reason });
    } finally {
      clearTimeout(timer);
      given?.removeEventListener('abort', end);
      end();
    }
  }

  return { look, nodes };
}

/** Rejects when the signal is aborted. */
function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason));
  });
}
