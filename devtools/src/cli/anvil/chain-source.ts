import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { KnownContract, KnownContracts } from '../../deliveries/known-contracts.js';
import { HttpError } from '../../http.js';
import type { ChainView } from '../../page/page-state.js';
import type { LocalService } from '../../service/local-service.js';
import { usageError } from '../command-error.js';
import { type GivenContract, readContract } from '../contract-file.js';
import type { Output } from '../output.js';
import type { SampleToken } from './sample-chain.js';

/** The options that name a chain and what to watch on it. */
export interface ChainOptions {
  readonly rpc?: string | undefined;
  readonly anvil?: true | undefined;
  readonly contract?: readonly string[] | undefined;
  readonly wallet?: readonly string[] | undefined;
  /** Seconds. */
  readonly interval: number;
}

/** A chain whose events a local service delivers. */
export interface ChainSource {
  readonly view: ChainView;
  readonly watched: readonly { address: string; label: string; name: string }[];
  readonly contracts: KnownContracts;
  /** The token of a chain that was started by this command. */
  readonly token: SampleToken | undefined;
  close(): Promise<void>;
}

/** The chain to watch: a running node, or the path of the anvil to start. */
export type WantedChain = Required<Pick<ChainOptions, 'interval'>> & {
  readonly node: { readonly rpc: string } | { readonly anvil: string };
  readonly contracts: readonly GivenContract[];
  readonly wallets: readonly string[];
};

/**
 * Checks the options and reads the files that they name, before anything starts. Undefined if the options name no chain.
 *
 * @throws CommandError when options are missing, a file contains no ABI.
 */
export async function readChainOptions(
  options: ChainOptions,
  env: NodeJS.ProcessEnv,
): Promise<WantedChain | undefined> {
  const { rpc, anvil, contract = [], wallet: wallets = [], interval } = options;
  const watched = contract.length + wallets.length;
  if (rpc !== undefined && watched === 0) throw usageError('Nothing to watch: --rpc needs --contract or --wallet.');
  if (rpc === undefined && !anvil && watched > 0) throw usageError('--contract and --wallet need --rpc or --anvil.');
  if (rpc === undefined && !anvil) return undefined;
  const contracts = await Promise.all(contract.map(readContract));
  return { node: rpc === undefined ? { anvil: env.ANVIL || 'anvil' } : { rpc }, contracts, wallets, interval };
}

/** Starts a chain, or connects to a running one, and has the service deliver its events. */
export async function startChain(
  { node, contracts: given, wallets, interval }: WantedChain,
  service: LocalService,
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<ChainSource> {
  const contracts: GivenContract[] = [...given];
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.splice(0)) await each();
  };
  try {
    let rpcUrl: string;
    let token: SampleToken | undefined;
    if ('rpc' in node) rpcUrl = node.rpc;
    else {
      const { startAnvil } = await import('./start-anvil.js');
      const { deploySampleToken } = await import('./sample-chain.js');
      const anvil = await startAnvil(node.anvil, signal);
      closing.push(() => anvil.stop());
      void anvil.ended.then(() => {
        if (closing.length > 0) output.note('anvil has exited: no more events will arrive from the chain.');
      });
      rpcUrl = anvil.url;
      token = await deploySampleToken(rpcUrl, signal);
      contracts.unshift({ ...token, name: 'SampleToken', label: 'sampletoken' });
    }
    const watcher = await service.watchChain({ rpcUrl, contracts, wallets, pollIntervalMs: token ? 250 : 1000 });
    closing.unshift(() => watcher.close());
    if (token && interval > 0) {
      const traffic = every(interval * 1000, token.transfer, () => {
        // Stopping the command makes the transfer in flight fail.
        if (!signal.aborted) output.note('A transfer could not be sent; trying again.');
      });
      closing.unshift(traffic);
    }
    const { readToken } = await import('./read-token.js');
    const known = contracts.map(async ({ address, abi }): Promise<[string, KnownContract]> => {
      return [address.toLowerCase(), { abi, ...(await readToken(rpcUrl, address, signal)) }];
    });
    return {
      view: { rpcUrl: new URL(rpcUrl).origin, chainId: watcher.chainId },
      watched: contracts.map(({ address, label, name }) => ({ address, label, name })),
      contracts: new Map(await Promise.all(known)),
      token,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Emits an event: by a transaction on the chain of the command, or through the service. */
export async function sampleOf(service: LocalService, chain: ChainSource | undefined): Promise<object> {
  if (chain?.token) {
    const gone = () => Promise.reject(new HttpError(503, 'The chain does not respond. Has anvil exited?'));
    return { transaction: await chain.token.transfer().catch(gone) };
  }
  const event = sampleEventEmitted();
  service.emit([event]);
  return { event: event.id };
}

/** Repeats an action, one at a time. Reports only the first failure. Returns a function that stops it. */
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
