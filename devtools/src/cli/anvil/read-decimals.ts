import { createRpc, rpcUrlOf } from '../../../../src/chain/rpc.js';

/** The selector of `decimals()`, as every ERC-20 token has it. */
const DECIMALS = '0x313ce567';

/** The decimals of the contract at an address; undefined when it has none to tell. Never rejects. */
export async function readDecimals(rpcUrl: string, to: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const rpc = createRpc(rpcUrlOf(rpcUrl), { timeoutMs: 5_000, retryDelayMs: 200, maxBytes: 2 ** 20, signal });
    const answer = await rpc('eth_call', [{ to, data: DECIMALS }, 'latest']);
    if (typeof answer !== 'string' || !/^0x[\da-f]{64}$/i.test(answer)) return undefined;
    const decimals = BigInt(answer);
    return decimals <= 255n ? Number(decimals) : undefined;
  } catch {
    // A contract that is no token, or a node that says no: amounts are then shown as they are.
    return undefined;
  }
}
