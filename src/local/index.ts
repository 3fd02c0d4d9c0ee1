export { type ChainWatcher, type WatchChainOptions, watchChain } from './chain/watch-chain.js';
