import type { HeldQueue } from '../service/queues.js';
import type { FirstRun } from './first-run.js';
import type { Can } from './page-actions.js';

/** The chain that events come from. */
export interface ChainView {
  /** Origin of the node's URL: its path or query may contain a key. */
  readonly rpcUrl: string;
  readonly chainId: number;
}

/** What the page shows in addition to deliveries. Contains no secret. */
export interface PageState {
  readonly mode: 'listen' | 'emulate';
  readonly target?: string | undefined;
  readonly webhooks?: readonly object[] | undefined;
  readonly faults?: object | undefined;
  /** Webhooks whose deliveries wait behind one that is being retried. */
  readonly queue?: readonly HeldQueue[] | undefined;
  readonly chain?: ChainView | undefined;
  readonly firstRun?: FirstRun | undefined;
  readonly service?: { url: string } | undefined;
  /** The command that sends a sample to the listener. */
  readonly sendCommand?: string | undefined;
  /** The forced answer to authentic deliveries. */
  readonly respond?: number | undefined;
}

/** The answer of `GET /api/state`. */
export interface ServedState extends PageState {
  /** Unix milliseconds. */
  readonly now: number;
  readonly limits: { readonly maxDeliveries: number };
  readonly can: Can;
}
