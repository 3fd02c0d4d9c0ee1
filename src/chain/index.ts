export type { Finality } from '../handle/before.js';
export type { Reorgs } from '../handle/reorgs.js';
export type { ReorgReport } from '../handle/tracing.js';
export type { ReconcileCursor } from '../stores/cursor.js';
export { type ChainFinalityOptions, chainFinality } from './finality/chain-finality.js';
export type { LookUpOptions } from './finality/look.js';
export type { DroppedContext, OnDropped } from './finality/stage.js';
export type { FinalityLevel } from './node-options.js';
export { type ChainSourceOptions, chainSource } from './reconcile/chain-source.js';
export type { ReconcilingReceiver } from './reconcile/feed.js';
export { type ReconcileOptions, reconcile } from './reconcile/reconcile.js';
export type { ReconcileEntry, ReconcileReport, ReconcileStatus, StopReason } from './reconcile/report.js';
export { type ServiceSourceOptions, serviceSource } from './reconcile/service-source.js';
export type {
  ReconcileSource,
  SourceChunk,
  SourceEntry,
  SourceOptions,
  SourceRange,
} from './reconcile/source.js';
export { type ChainReorgsOptions, chainReorgs } from './reorgs/chain-reorgs.js';
export { RpcError, type RpcErrorCode, type RpcFailure } from './rpc.js';
export { type ChainWatcher, type WatchChainOptions, watchChain } from './watch-chain.js';
