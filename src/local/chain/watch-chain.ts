import type { WebhookEvent } from '../../events.js';
import type { Logger } from '../../logger.js';

export interface WatchChainOptions {
  readonly rpcUrl: string;
  readonly contracts?: readonly {
    readonly address: string;
    readonly abi: readonly unknown[];
    readonly name: string;
    readonly label: string;
    readonly addressLabel?: string | undefined;
  }[];
  readonly wallets?: readonly string[] | undefined;
  readonly fromBlock?: number | 'latest' | undefined;
  readonly pollIntervalMs?: number | undefined;
  readonly logger?: Logger | undefined;
  onEvents(events: readonly WebhookEvent[]): unknown;
}

export interface ChainWatcher {
  readonly chainId: number;
  readonly blockNumber: number;
  close(): Promise<void>;
}

export async function watchChain(_options: WatchChainOptions): Promise<ChainWatcher> {
  throw new Error('Not built yet.');
}
