import { createPublicClient, erc20Abi, http } from 'viem';

/** The decimals of the token contract at an address; undefined if it has none. Never rejects. */
export async function readDecimals(rpcUrl: string, address: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const client = createPublicClient({
      transport: http(rpcUrl, { timeout: 5_000, maxResponseBodySize: 2 ** 20, fetchOptions: { signal } }),
    });
    const token = { address: address as `0x${string}`, abi: erc20Abi };
    const decimals = await client.readContract({ ...token, functionName: 'decimals' });
    // Viem does not check that an encoded uint8 is one.
    return decimals <= 255 ? decimals : undefined;
  } catch {
    // The contract is not a token, or the node failed: the page shows amounts without decimals.
    return undefined;
  }
}
