import { checkFunction, checkNumber, MAX_TIMER_MS } from '../../internal/check-options.js';
import { withDeadline } from '../../internal/deadline.js';
import type { Logger } from '../../internal/logger.js';
import { guardedLogger } from '../logging.js';
import { chainIdError, readNodeOptions } from '../node-options.js';
import { RpcError } from '../rpc.js';
import type { Place } from './block-of.js';
import { FinalityNode, isWithin } from './node.js';
import { NodeLookUps, type Say } from './node-look-ups.js';

/** Options that `chainFinality` and `chainReorgs` share. */
export interface LookUpOptions {
  /**
   * HTTP JSON-RPC URL of a node, or several. The first is asked; the others if it fails, or for `agree`. Messages
   * contain only the origin, because the rest may contain a key.
   */
  readonly rpcUrl: string | readonly string[];
  /** Chain ID that all nodes must have. */
  readonly chainId: number;
  /** How many nodes must agree on a block. (Default: 1.) */
  readonly agree?: number | undefined;
  /** Time-out of a request to a node, in milliseconds. A look-up takes at most three times as long. (Default: 5000.) */
  readonly timeoutMs?: number | undefined;
  /** Logs what nodes cannot answer, and replaced final blocks. (Default: the console, for warnings and errors.) */
  readonly logger?: Logger | undefined;
  /** Clock in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

export const LOOK_UP_OPTIONS = ['rpcUrl', 'chainId', 'agree', 'timeoutMs', 'logger', 'now'];

/** Maximum duration of a look-up in request time-outs: it may ask a second node when the first does not answer. */
const TIMEOUTS = 3;

export type LookUpSettings = ReturnType<typeof readLookUpOptions>;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` that names the wrong option. */
export function readLookUpOptions(options: LookUpOptions & { readonly level: unknown }) {
  const { rpcUrl, level, chainId, agree, timeoutMs = 5000, now = Date.now } = options;
  const nodes = readNodeOptions({ rpcUrl, level, chainId, agree });
  if (chainId === undefined) throw chainIdError(chainId);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS / TIMEOUTS);
  checkFunction('now', now);
  return { ...nodes, chainId, timeoutMs, now, logger: guardedLogger(options.logger) };
}

/**
 * Creates the nodes, and a function that asks them whether blocks are final.
 *
 * @param onContradiction Called when final blocks were replaced.
 */
export function createLook(settings: LookUpSettings, onContradiction: () => void) {
  const { urls, tag, chainId, agree, timeoutMs, now, logger } = settings;
  const nodes = urls.map((url) => new FinalityNode({ url, tag, chainId, timeoutMs, now }));
  const lookUps = nodes.map((node) => new NodeLookUps({ node, tag, logger, now, onContradiction }));

  /** The answers for places, by key. Rejects with RpcError. */
  async function look(places: readonly Place[], given?: AbortSignal): Promise<ReadonlyMap<string, Say>> {
    const failed = (what: string, reason: 'aborted' | 'timeout') =>
      new RpcError(`The look-up of blocks at ${nodes[0]?.origin} ${what}.`, { reason });
    const aborted = () => failed('was aborted by the caller', 'aborted');
    if (given?.aborted) throw aborted();
    let isOver = false;
    let abort = () => {};
    const abortion = new Promise<never>((_, reject) => {
      abort = () => reject(aborted());
    });
    given?.addEventListener('abort', abort);
    try {
      // Requests in progress are not aborted: other checks share them, and the next check uses their answers.
      const asking = askNodes(places, lookUps, { agree, now, isOver: () => isOver });
      const late = () => failed(`took longer than ${timeoutMs * TIMEOUTS} ms`, 'timeout');
      return await withDeadline(Promise.race([asking, abortion]), timeoutMs * TIMEOUTS, late);
    } finally {
      given?.removeEventListener('abort', abort);
      isOver = true;
    }
  }

  return { look, nodes };
}

/** How long after a failure a node is asked last, in ms. */
const LAST_MS = 60_000;

/**
 * Asks nodes about places, `agree` at a time, until `agree` of them give the same answer. A place is `same` or `other`
 * only when `agree` nodes answer so and none contradicts them.
 */
async function askNodes(
  places: readonly Place[],
  nodes: readonly NodeLookUps[],
  { agree, now, isOver }: { readonly agree: number; readonly now: () => number; readonly isOver: () => boolean },
): Promise<ReadonlyMap<string, Say>> {
  const failed = (node: NodeLookUps) => isWithin(now() - node.failedAt, LAST_MS);
  const order = [...nodes.filter((node) => !failed(node)), ...nodes.filter(failed)];
  const answers = new Map<string, Say>();
  let open = places.map((place) => ({ place, says: [] as Say[] }));
  while (open.length > 0 && order.length > 0 && !isOver()) {
    const asked = order.splice(0, agree);
    const rounds = await Promise.all(asked.map((node) => node.look(open.map(({ place }) => place))));
    open = open.filter(({ place, says }) => {
      says.push(...rounds.map((round) => round.get(place.key) as Say));
      // One of the nodes is wrong about this place: forget the cached answers of all.
      if (isContradicted(says)) for (const node of nodes) node.doubt(place);
      const answer = answerOf(says, agree);
      if (answer) answers.set(place.key, answer);
      return !answer;
    });
  }
  for (const { place, says } of open) answers.set(place.key, undecided(says));
  return answers;
}

/** The answer of the nodes asked so far; undefined when others are needed. */
function answerOf(says: readonly Say[], agree: number): Say | undefined {
  const count = (kind: Say['kind']) => says.filter((say) => say.kind === kind).length;
  if (isContradicted(says)) return undecided(says);
  if (count('same') >= agree) return { kind: 'same' };
  if (count('other') >= agree) return { kind: 'other' };
  const isAhead = says.every((say) => say.kind === 'ahead' && !say.isStuck);
  return isAhead ? undecided(says) : undefined;
}

function isContradicted(says: readonly Say[]): boolean {
  return says.some(({ kind }) => kind === 'same') && says.some(({ kind }) => kind === 'other');
}

function undecided(says: readonly Say[]): Say {
  const waitMs = Math.max(1000, ...says.map((say) => ('waitMs' in say ? say.waitMs : 0)));
  const errors = says.flatMap((say) => (say.kind === 'unknown' ? [say.error] : []));
  if (isContradicted(says)) {
    const what =
      'The nodes of `rpcUrl` have different final blocks at the same number. Check that all are of one chain.';
    errors.unshift(new RpcError(what, { reason: 'malformed' }));
  }
  const [error] = errors;
  if (!error) return { kind: 'ahead', waitMs, isStuck: false };
  const messages = [...new Set(errors.map(({ message }) => message))];
  return {
    kind: 'unknown',
    waitMs,
    error: messages.length === 1 ? error : new AggregateError(errors, messages.join(' ')),
  };
}
