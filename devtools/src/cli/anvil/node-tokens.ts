import type { Feed, KeptDelivery } from '../../deliveries/feed.js';
import type { KnownContract } from '../../deliveries/known-contracts.js';
import type { ChainView } from '../../page/page-state.js';
import type { Output } from '../output.js';

/** The tokens of a node, which is asked when a delivery names one. */
export interface NodeTokens {
  /** By lower-case address. */
  readonly contracts: ReadonlyMap<string, KnownContract>;
  /** For the page; undefined until the node has returned its chain id. */
  view(): ChainView | undefined;
  /** Resolves when the node has answered the pending questions, or was too slow. */
  known(): Promise<void>;
  /** Stops asking. */
  close(): Promise<void>;
}

export interface NodeTokensOptions {
  readonly rpcUrl: URL;
  readonly feed: Feed;
  readonly output: Output;
  /** Called when the chain is known. */
  onChange(): void;
}

/** Limit of contracts to ask about. */
const MOST_TOKENS = 500;

/**
 * Reads symbol and decimals of the tokens in authentic deliveries from a node, one at a time, each once. Rows that wait
 * for a token are then shown again.
 */
export function followTokens({ rpcUrl, feed, output, onChange }: NodeTokensOptions): NodeTokens {
  const contracts = new Map<string, KnownContract>();
  const asked = new Set<string>();
  let isClosed = false;
  /** A new controller for each question, because a signal keeps a listener for every request made with it. */
  let asking = new AbortController();
  let chainId: number | undefined;

  async function connect(): Promise<void> {
    const { askNode } = await import('./read-token.js');
    try {
      const ask = askNode(rpcUrl.href, asking.signal, ({ request }) => request({ method: 'eth_chainId' }));
      const id = Number(await ask);
      if (!Number.isSafeInteger(id) || id < 0) throw new Error('not a chain id');
      chainId = id;
      onChange();
    } catch {
      if (isClosed) return;
      output.note(`The node at ${rpcUrl.origin} does not respond: amounts are shown without units.`);
    }
  }

  async function read(address: string): Promise<void> {
    const { readToken } = await import('./read-token.js');
    if (chainId === undefined || isClosed) return;
    asking = new AbortController();
    const facts = await readToken(rpcUrl.href, address, asking.signal);
    if (isClosed || (facts.symbol === undefined && facts.decimals === undefined)) return;
    contracts.set(address, facts);
    for (const record of feed.list()) if (tokenOf(record) === address) feed.describe(record.id, record.contents);
  }

  let last = connect();
  const unsubscribe = feed.subscribe((record) => {
    const address = record && tokenOf(record);
    // Unauthenticated senders must not choose what the node is asked.
    if (address === undefined || record?.verified === false || asked.size >= MOST_TOKENS || asked.has(address)) return;
    asked.add(address);
    last = last.then(() => read(address));
  });

  return {
    contracts,
    view: () => (chainId === undefined ? undefined : { rpcUrl: rpcUrl.origin, chainId }),
    known: () => last,
    async close() {
      unsubscribe();
      isClosed = true;
      asking.abort();
      await last;
    },
  };
}

/** The token whose amount the row of a delivery shows. */
function tokenOf({ contents }: KeptDelivery): string | undefined {
  const token = contents.gist.amount?.token;
  return token !== undefined && /^0x[\da-f]{40}$/.test(token) ? token : undefined;
}
