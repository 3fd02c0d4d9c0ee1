import type { KnownContract, KnownContracts } from '../../page/item-view.js';
import type { LocalService } from '../../service/local-service.js';
import { usageError } from '../command-error.js';
import { type GivenContract, readContract } from '../contract-flags.js';
import type { Output } from '../output.js';
import { readDecimals } from './read-decimals.js';

/** What a chain is watched for, as the flags say it. */
export interface ChainFlags {
  readonly rpc: string | undefined;
  readonly anvil: boolean | undefined;
  readonly contract: readonly string[];
  readonly wallet: readonly string[];
  /** Seconds. */
  readonly interval: number;
}

/** A chain whose events a local service delivers. */
export interface ChainSource {
  /** For the page: where it is, without what may be a key in its URL, and what is watched on it. */
  readonly view: {
    rpcUrl: string;
    chainId: number;
    contracts: readonly { address: string; label: string; name: string }[];
  };
  readonly contracts: KnownContracts;
  /** Sends a transaction that makes an event; undefined on a chain that is not ours. */
  readonly sample: (() => Promise<string>) | undefined;
  close(): Promise<void>;
}

/** The chain that the flags name, with what its start needs. */
export interface WantedChain {
  /** A node that runs, or the program that is one. */
  readonly node: { readonly rpc: string } | { readonly anvil: string };
  readonly contracts: readonly GivenContract[];
  readonly wallets: readonly string[];
  /** Seconds. */
  readonly interval: number;
}

/**
 * Reads the flags and the files that they name, and looks for the anvil, before anything is started. Undefined when
 * they name no chain.
 *
 * @throws CommandError when they contradict each other, a file holds no ABI, or there is no anvil.
 */
export async function readChainFlags(flags: ChainFlags, env: NodeJS.ProcessEnv): Promise<WantedChain | undefined> {
  const { rpc, anvil, contract, wallet, interval } = flags;
  if (rpc !== undefined && anvil) throw usageError('Give --rpc or --anvil: one chain is watched.');
  const watched = contract.length + wallet.length;
  if (rpc !== undefined && watched === 0)
    throw usageError('--rpc needs --contract or --wallet: what is to be watched.');
  if (rpc === undefined && !anvil && watched > 0) throw usageError('--contract and --wallet need --rpc or --anvil.');
  if (rpc === undefined && !anvil) return undefined;
  const contracts = await Promise.all(contract.map(readContract));
  const read = { contracts, wallets: wallet, interval };
  if (rpc !== undefined) return { node: { rpc }, ...read };
  const { findAnvil } = await import('./start-anvil.js');
  return { node: { anvil: findAnvil(env, process.cwd()) }, ...read };
}

/** Starts a chain, or takes one that runs, and has the service deliver what happens there. */
export async function startChain(
  { node, contracts: given, wallets, interval }: WantedChain,
  service: LocalService,
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<ChainSource> {
  const contracts: (GivenContract & KnownContract)[] = [...given];
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.splice(0)) await each();
  };
  try {
    let rpcUrl: string;
    let sample: (() => Promise<string>) | undefined;
    if ('rpc' in node) {
      rpcUrl = node.rpc;
    } else {
      const { startAnvil } = await import('./start-anvil.js');
      const { deploySampleToken } = await import('./sample-chain.js');
      const anvil = await startAnvil(node.anvil, signal);
      closing.push(() => anvil.stop());
      void anvil.ended.then(() => {
        if (closing.length > 0) output.note('anvil has ended: nothing more comes from the chain.');
      });
      const token = await deploySampleToken(anvil.url, signal);
      contracts.unshift({ ...token, name: 'SampleToken', label: 'sampletoken' });
      rpcUrl = anvil.url;
      sample = () => token.transfer();
    }
    const watcher = await service.watchChain({
      rpcUrl,
      contracts,
      wallets,
      pollIntervalMs: sample ? 250 : 1000,
    });
    closing.unshift(() => watcher.close());
    if (sample && interval > 0) {
      const traffic = every(interval * 1000, sample, () => {
        // The end breaks off a transfer that is under way.
        if (!signal.aborted) output.note('A transfer could not be sent.');
      });
      closing.unshift(traffic);
    }
    const withDecimals = contracts.map(async (contract): Promise<[string, KnownContract]> => {
      const decimals = contract.decimals ?? (await readDecimals(rpcUrl, contract.address, signal));
      return [contract.address.toLowerCase(), { abi: contract.abi, decimals }];
    });
    const byAddress = new Map(await Promise.all(withDecimals));
    const view = contracts.map(({ address, label, name }) => ({ address, label, name }));
    return {
      view: { rpcUrl: new URL(rpcUrl).origin, chainId: watcher.chainId, contracts: view },
      contracts: byAddress,
      sample,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Does something again and again, never twice at once. Complains of the first failure alone. Gives back what ends it. */
function every(ms: number, act: () => Promise<unknown>, complain: () => void): () => void {
  let failed = false;
  let timer = setTimeout(tick, ms);
  let ended = false;
  async function tick(): Promise<void> {
    try {
      await act();
    } catch {
      if (!failed && !ended) complain();
      failed = true;
    }
    if (!ended) timer = setTimeout(tick, ms);
  }
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
