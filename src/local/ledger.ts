import type { Delivery } from './delivery.js';
import type { Entry } from './entry.js';
import { apply, emptyState, type State } from './state.js';

/** The state, and what remembers its changes. */
export interface Ledger {
  readonly state: State;
  /** Changes the state once the change is remembered. Gives the pending deliveries that had to go. */
  commit(entry: Entry): Delivery[];
  close(): void;
}

/** A ledger that forgets everything with the process. */
export function memoryLedger(): Ledger {
  const state = emptyState();
  return { state, commit: (entry) => apply(state, entry), close() {} };
}
