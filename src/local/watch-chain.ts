import type { ChainWatcher, WatchChainOptions } from './chain/watch-chain.js';

/**
 * Watches a chain through a node and turns what happens on it into the events of the service (spec sections 2.2 and
 * 6), in the order of the chain, each block once. A re-org sends the events of the logs that it removed again, the
 * last first, with `removed` in their `rawFields` and under new ids, and then those of the blocks that took the
 * place. What fails is told and tried again, for as long as it takes: no block is skipped.
 *
 * A node that has another chain than before, as anvil has when it is started again, is found out by its block 0: the
 * logger is warned, what was sent of the old chain is taken back as in a re-org, and the new one is sent from
 * `fromBlock` on, or from its block 0 for `latest`. At most the last 256 blocks (or 50 000 events) are undone; that
 * there were more is told as an error. Where a node does not give block 0, or has the same one in both chains,
 * another chain that is shorter is taken for a node that lags, and a longer one for a re-org: what it has before the
 * first block that is undone is not sent.
 *
 * It keeps no state: who wants to go on after a restart keeps `blockNumber`. It does not send anything: a service's
 * own `watchChain` does. A removed `transaction.included` has no notice in the specification, and gets none; mined
 * again, it is sent again.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { watchChain } from 'event-webhook-receiver/local';
 *
 * const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
 * const token = { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', abi, name: 'Token', label: 'token' };
 *
 * export const watcher = await watchChain({
 *   rpcUrl: 'http://127.0.0.1:8545',
 *   contracts: [token],
 *   onEvents: (events) => console.log(events.map(({ id }) => id)),
 * });
 * ```
 * @returns The watcher, once the node has answered. Close it, or the process does not end.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense; RpcError `ERR_WEBHOOK_RPC` when the node does
 * not answer at the start.
 */
export async function watchChain(options: WatchChainOptions): Promise<ChainWatcher> {
  // Loaded when somebody needs it: it is more than the rest of the service, and brings an HTTP client.
  const chain = await import('./chain/watch-chain.js');
  return chain.watchChain(options);
}
