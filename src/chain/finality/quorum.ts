import { RpcError } from '../rpc.js';
import type { Place } from './block-of.js';
import { isWithin } from './node.js';
import type { NodeLookUps, Say } from './node-look-ups.js';

/** How long a failed node is asked last. */
const LAST_MS = 60_000;

/**
 * Asks nodes about places, `agree` at a time, until `agree` of them give the same answer. A place is `same` or `other`
 * only when `agree` nodes answer so and none contradicts them.
 */
export async function askNodes(
  places: readonly Place[],
  nodes: readonly NodeLookUps[],
  { agree, now, signal }: { readonly agree: number; readonly now: () => number; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Say>> {
  const failed = (node: NodeLookUps) => isWithin(now() - node.failedAt, LAST_MS);
  const order = [...nodes.filter((node) => !failed(node)), ...nodes.filter(failed)];
  const answers = new Map<string, Say>();
  let open = places.map((place) => ({ place, says: [] as Say[] }));
  while (open.length > 0 && order.length > 0 && !signal.aborted) {
    const asked = order.splice(0, agree);
    const rounds = await Promise.all(asked.map((node) => node.look(open.map(({ place }) => place))));
    open = open.filter(({ place, says }) => {
      says.push(...rounds.map((round) => round.get(place.key) as Say));
      // What a node was once wrong about must not be remembered.
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
