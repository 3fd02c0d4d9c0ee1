import type { ChainWatcher, WatchChainOptions } from './chain/watch-chain.js';

/**
 * Watches a chain through a node and turns what happens on it into the events of the service (spec sections 2.2 and 6),
 * in the order of the chain, each block once. A re-org sends the events of the logs that it removed again, with `removed`
 * in their `rawFields` and under new ids. It keeps no state and sends nothing: a service's own `watchChain` delivers.
 *
 * @example
 * ```ts
 * import { watchChain } from 'event-webhook-receiver/local';
 *
 * export const watcher = await watchChain({
 *   rpcUrl: 'http://127.0.0.1:8545',
 *   wallets: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
 *   onEvents: (events) => console.log(events.map(({ id }) => id)),
 * });
 * ```
 * @returns The watcher, once the node has answered. Close it, or the process does not end.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense; RpcError `ERR_WEBHOOK_RPC` when the node does not
 * answer at the start.
 */
export async function watchChain(options: WatchChainOptions): Promise<ChainWatcher> {
  // Loaded when somebody needs it: it is more than the rest of the service, and brings an HTTP client.
  const chain = await import('./chain/watch-chain.js');
  return chain.watchChain(options);
}
