import { createRpc, type Rpc, rpcUrlOf } from '../../../../src/chain/rpc.js';
import { CommandError } from '../command-error.js';
import { sampleTokenAbi, sampleTokenBytecode } from './sample-token.js';

/** A token on a chain of our own, and transfers of it. */
export interface SampleToken {
  readonly address: string;
  readonly abi: readonly unknown[];
  readonly decimals: number;
  /** Sends a transfer, of another amount each time. Gives the hash of its transaction. */
  transfer(): Promise<string>;
}

const DECIMALS = 18;
const GAS = '0x1e8480';
const TRANSFER = '0xa9059cbb';

/** Deploys the sample token from the first account of a chain whose accounts are unlocked, as anvil's are. */
export async function deploySampleToken(rpcUrl: string, signal: AbortSignal): Promise<SampleToken> {
  const rpc = createRpc(rpcUrlOf(rpcUrl), { timeoutMs: 10_000, retryDelayMs: 200, maxBytes: 2 ** 20, signal });
  const accounts = (await rpc('eth_accounts', [])) as string[];
  const [owner, ...others] = accounts;
  const address = await deploy(rpc, owner);
  let sent = 0;
  return {
    address,
    abi: sampleTokenAbi,
    decimals: DECIMALS,
    async transfer() {
      const to = others[sent % others.length] ?? (owner as string);
      // 0.25, 0.5, … 25: amounts that are easily told apart.
      const value = BigInt((sent % 100) + 1) * (10n ** BigInt(DECIMALS) / 4n);
      sent++;
      const data = TRANSFER + word(to.slice(2).toLowerCase()) + word(value.toString(16));
      return (await rpc('eth_sendTransaction', [{ from: owner, to: address, gas: GAS, data }])) as string;
    },
  };
}

async function deploy(rpc: Rpc, from: string | undefined): Promise<string> {
  const hash = await rpc('eth_sendTransaction', [{ from, gas: GAS, data: sampleTokenBytecode }]);
  for (;;) {
    // A chain that mines each transaction at once has it; the rpc's own time-outs bound one that hangs.
    const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as { contractAddress?: unknown } | null;
    if (typeof receipt?.contractAddress === 'string') return receipt.contractAddress;
    if (receipt !== null) throw new CommandError('ERR_CLI_ANVIL', 'The sample token could not be deployed.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function word(hex: string): string {
  return hex.padStart(64, '0');
}
