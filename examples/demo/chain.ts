// A chain with a token on it: anvil's own, or else one that was recorded.
import { createClient, encodeFunctionData, getAddress, type Hex, http, publicActions, walletActions } from 'viem';
import { tokenAbi, tokenBytecode } from '../erc20-ledger/token.js';
import { findAnvil, startAnvil } from '../servers/anvil.js';
import { startRecordedChain } from './recorded-chain.js';

/** What happens on the chain, and where a service can watch it. */
export interface DemoChain {
  readonly what: string;
  readonly rpcUrl: string;
  readonly token: { readonly address: string; readonly abi: readonly unknown[] };
  /** Has a block with transfers appear; gives the hashes of their transactions. A recorded chain ends: then there are none. */
  transfer(): Promise<readonly string[]>;
  close(): Promise<unknown>;
}

/** That of anvil, and of the recording. */
export const CHAIN_ID = 31337;

export async function openChain(): Promise<DemoChain> {
  return findAnvil() === undefined ? replay() : live();
}

async function live(): Promise<DemoChain> {
  const anvil = await startAnvil();
  const client = createClient({ transport: http(anvil.url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
  const [owner, ...others] = (await client.getAddresses()) as [Hex, ...Hex[]];
  const send = async (transaction: { to?: Hex; data: Hex }) => {
    const hash = await client.sendTransaction({ account: owner, chain: null, ...transaction });
    return client.waitForTransactionReceipt({ hash });
  };
  const { contractAddress } = await send({ data: tokenBytecode });
  if (!contractAddress) throw new Error('The token was not deployed.');
  const address = getAddress(contractAddress);
  const call = (data: Hex) => send({ to: address, data });
  await call(encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [owner, 10n ** 12n] }));

  let transfers = 0;
  return {
    what: `anvil at ${anvil.url}`,
    rpcUrl: anvil.url,
    token: { address, abi: tokenAbi },
    async transfer() {
      const to = others[transfers++ % others.length] as Hex;
      const args = [to, BigInt(transfers) * 1_500_000n] as const;
      const { transactionHash } = await call(encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args }));
      return [transactionHash];
    },
    close: () => anvil.stop(),
  };
}

async function replay(): Promise<DemoChain> {
  const { url, recording, release, close } = await startRecordedChain({ blockMs: 0 });
  let at = 1;
  /** The hashes of the transactions of the next block that moved tokens. */
  const next = (): string[] => {
    while (release()) {
      const { logs = [] } = recording.blocks[at++] ?? {};
      if (logs.length > 0) return logs.map(({ transactionHash }) => transactionHash);
    }
    return [];
  };
  // What was minted is no transfer of the demo.
  next();
  return {
    what: 'a chain that was recorded, for there is no anvil: install Foundry, or set ANVIL',
    rpcUrl: url,
    token: { address: getAddress(recording.token), abi: tokenAbi },
    transfer: async () => next(),
    close,
  };
}
