export { RpcError } from './chain/rpc-error.js';
export { type ChainWatcher, type WatchChainOptions, watchChain } from './chain/watch-chain.js';
