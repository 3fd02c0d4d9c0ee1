import { createClient, decodeAbiParameters, type Hex, hexToBytes, http } from 'viem';
import { cut, printable } from '../../deliveries/text-limits.js';

/** The symbol and decimals of a token contract, as far as known. */
export interface TokenFacts {
  readonly symbol?: string | undefined;
  readonly decimals?: number | undefined;
}

const MOST_SYMBOL = 20;
const [SYMBOL, DECIMALS] = ['0x95d89b41', '0x313ce567'] as const;
/** A word of the ABI in hex, with 0x. */
const WORD = 66;

/**
 * Asks a node. A node that does not answer in time, redirects, or answers with more than 1 MiB counts as failed.
 *
 * @param timeoutMs Time limit of all requests together, in milliseconds. viem's own limit does not apply with a signal,
 * nor to the body of an answer.
 */
export async function askNode<Answer>(
  rpcUrl: string,
  signal: AbortSignal,
  ask: (client: ReturnType<typeof nodeClient>) => Promise<Answer>,
  timeoutMs = 5000,
): Promise<Answer> {
  const ending = new AbortController();
  const end = () => ending.abort();
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  const timer = setTimeout(end, timeoutMs);
  try {
    return await ask(nodeClient(rpcUrl, ending.signal));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

const nodeClient = (rpcUrl: string, signal: AbortSignal) =>
  createClient({
    transport: http(rpcUrl, {
      ...{ timeout: 0, retryCount: 0, maxResponseBodySize: 2 ** 20 },
      fetchOptions: { signal, redirect: 'error' },
    }),
  });

/** The symbol and decimals that the contract at an address returns; empty if it is not a token. Never rejects. */
export function readToken(
  rpcUrl: string,
  address: string,
  signal: AbortSignal,
  timeoutMs?: number,
): Promise<TokenFacts> {
  return askNode(
    rpcUrl,
    signal,
    async ({ request }) => {
      async function ask<Fact>(data: Hex, read: (answer: Hex) => Fact | undefined): Promise<Fact | undefined> {
        try {
          return read(await request({ method: 'eth_call', params: [{ to: address as Hex, data }, 'latest'] }));
        } catch {
          // The contract is not a token, or the node failed: the page shows amounts without units.
          return undefined;
        }
      }
      const [symbol, decimals] = await Promise.all([ask(SYMBOL, symbolIn), ask(DECIMALS, decimalsIn)]);
      return { symbol, decimals };
    },
    timeoutMs,
  );
}

function decimalsIn(answer: Hex): number | undefined {
  const value = answer.length === WORD ? BigInt(answer) : 256n;
  return value <= 255n ? Number(value) : undefined;
}

/** A symbol as a string, or as bytes32, as the first tokens returned it. It is untrusted text. */
function symbolIn(answer: Hex): string | undefined {
  const text =
    answer.length === WORD
      ? new TextDecoder('utf-8', { fatal: true }).decode(hexToBytes(answer)).replace(/\0+$/, '')
      : decodeAbiParameters([{ type: 'string' }], answer)[0];
  return cut(printable(text.slice(0, 1000)).trim(), MOST_SYMBOL) || undefined;
}
