export { RpcError, type RpcErrorCode } from './rpc.js';
export { type ChainWatcher, type WatchChainOptions, watchChain } from './watch-chain.js';
