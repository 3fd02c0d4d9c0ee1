import type { Hex } from '../../evm/types.js';
import { withDeadline } from '../../internal/deadline.js';
import { put } from '../finality/known-blocks.js';
import type { LookUpSettings } from '../finality/look.js';
import { type FinalityNode, isWithin } from '../finality/node.js';
import { NodePool } from '../node-pool.js';
import { RpcError } from '../rpc.js';

/** How long a delivery may use an earlier answer, in ms. */
const RECENT_MS = 1000;
/** How long a delivery waits for nodes, in ms: it is applied if they do not answer, and settled later. */
const DELIVERY_MS = 1000;
/** Maximum number of blocks that are requested at the same time. */
const AT_ONCE = 32;

/** The blocks that nodes have at numbers that are not final. */
export function createHeads(nodes: readonly FinalityNode[], { agree, timeoutMs, now }: LookUpSettings) {
  const pool = new NodePool(nodes, agree);
  const last = new Map<number, { readonly hash: Promise<Hex | undefined>; readonly at: number }>();

  /** The hash at a number in which `agree` nodes agree; undefined if too few answer, or if they contradict each other. */
  async function ask(number: number): Promise<Hex | undefined> {
    const hashes = await pool.ask((node) => hashAt(node, number)).catch(() => []);
    return hashes.every((hash) => hash === hashes[0]) ? hashes[0] : undefined;
  }

  /** Asks again for each number. */
  async function fresh(numbers: readonly number[]): Promise<Map<number, Hex | undefined>> {
    const found = new Map<number, Hex | undefined>();
    for (let start = 0; start < numbers.length; start += AT_ONCE) {
      const some = numbers.slice(start, start + AT_ONCE);
      const hashes = await Promise.all(some.map(ask));
      for (const [at, number] of some.entries()) found.set(number, hashes[at]);
    }
    return found;
  }

  function recentAt(number: number): Promise<Hex | undefined> {
    const known = last.get(number);
    if (known && isWithin(now() - known.at, RECENT_MS)) return known.hash;
    const hash = ask(number);
    put(last, number, { hash, at: now() });
    return hash;
  }

  return {
    /** The hashes at numbers, each asked after this call. */
    now: fresh,
    /** The hashes at numbers for a delivery. Some may be a second old, or missing. */
    async recent(numbers: readonly number[]): Promise<Map<number, Hex | undefined>> {
      const late = () => new RpcError('The node did not answer in time.', { reason: 'timeout' });
      const ms = Math.min(DELIVERY_MS, timeoutMs);
      const hashes = await Promise.all(
        numbers.map((number) => withDeadline(recentAt(number), ms, late).catch(() => undefined)),
      );
      return new Map(numbers.map((number, at) => [number, hashes[at]]));
    },
  };
}

async function hashAt(node: FinalityNode, number: number): Promise<Hex> {
  await node.checkChain(false);
  const header = await node.header(number);
  if (header) return header.hash;
  throw node.error(`has no block ${number}.`);
}
