export { RpcError } from './rpc-error.js';
export { type ChainWatcher, type WatchChainOptions, watchChain } from './watch-chain.js';
