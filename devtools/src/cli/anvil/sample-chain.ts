import { type Address, createClient, encodeFunctionData, type Hash, http } from 'viem';
import { CommandError } from '../command-error.js';
import { replaceBlocks } from './replace-blocks.js';
import { sampleTokenAbi, sampleTokenBytecode } from './sample-token.js';

/** A token on a local chain, and transfers of it. */
export interface SampleToken {
  readonly address: string;
  readonly abi: readonly unknown[];
  /** Sends a transfer of a different amount each time. Resolves with the transaction's hash. */
  transfer(): Promise<string>;
  /** Replaces the last blocks by empty ones. Rejects if that would remove the token. */
  reorg(depth: number): Promise<void>;
}

const DECIMALS = 18;
const GAS = '0x1e8480';

/** Deploys the sample token from the first account of a chain whose accounts are unlocked, as anvil's are. */
export async function deploySampleToken(rpcUrl: string, signal: AbortSignal): Promise<SampleToken> {
  const client = createClient({
    transport: http(rpcUrl, { timeout: 10_000, maxResponseBodySize: 2 ** 20, fetchOptions: { signal } }),
  });
  const { request } = client;
  const send = (transaction: { from: Address; to?: Address; data: `0x${string}` }): Promise<Hash> =>
    request({ method: 'eth_sendTransaction', params: [{ ...transaction, gas: GAS }] });
  const [owner, ...others] = (await request({ method: 'eth_accounts' })) as [Address, ...Address[]];
  const address = await addressOf(await send({ from: owner, data: sampleTokenBytecode }));
  let sent = 0;

  async function addressOf(hash: Hash): Promise<Address> {
    for (;;) {
      // Anvil mines each transaction at once. The request's time limit ends one that hangs.
      const receipt = await request({ method: 'eth_getTransactionReceipt', params: [hash] });
      if (typeof receipt?.contractAddress === 'string') return receipt.contractAddress;
      if (receipt !== null) throw notDeployed();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  return {
    address,
    abi: sampleTokenAbi,
    async transfer() {
      const to = others[sent % others.length] as Address;
      // 0.25, 0.5, … 25: amounts that are easy to tell apart.
      const value = BigInt((sent % 100) + 1) * (10n ** BigInt(DECIMALS) / 4n);
      sent++;
      const data = encodeFunctionData({ abi: sampleTokenAbi, functionName: 'transfer', args: [to, value] });
      return await send({ from: owner, to: address, data });
    },
    reorg: (depth) => replaceBlocks(client, depth),
  };
}

const notDeployed = () => new CommandError('ERR_CLI_ANVIL', 'The sample token could not be deployed.');
