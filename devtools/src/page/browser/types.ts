// Types of the page server's responses.
import type { Faults } from '../../service/faults.js';
import type { ServedState } from '../page-state.js';

export type { Attempt, HeaderLine, Verdict } from '../../deliveries/delivery-record.js';
export type { InputView, ItemView } from '../../deliveries/item-view.js';
export type { Detail, Summary } from '../../deliveries/views.js';
export type { Finding } from '../../explain/finding.js';
export type { Faults };

export interface Webhook {
  readonly id: number;
  readonly label: string;
  readonly url: string;
}

/** The response to `GET /api/state`. */
export interface State extends Omit<ServedState, 'webhooks' | 'faults'> {
  readonly webhooks?: readonly Webhook[];
  readonly faults?: Faults;
}
