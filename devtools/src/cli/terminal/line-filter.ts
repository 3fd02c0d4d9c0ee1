import type { KeptDelivery } from '../../deliveries/feed.js';
import type { KnownContracts } from '../../deliveries/known-contracts.js';
import { hasText } from '../../deliveries/search.js';

/** Which deliveries are printed. */
export interface LineFilter {
  /** Only deliveries that contain this text, in any case, are printed; empty: all. */
  text: string;
  /**
   * Whether a delivery is printed.
   *
   * @param printed Returns what would be printed of it.
   */
  matches(record: KeptDelivery, printed?: () => string): boolean;
}

/** Creates a filter that searches as the page does. */
export function createLineFilter(text = '', contracts: () => KnownContracts = () => new Map()): LineFilter {
  return {
    text,
    matches(record, printed = () => '') {
      if (this.text === '') return true;
      return printed().toLowerCase().includes(this.text.toLowerCase()) || hasText(record, this.text, contracts());
    },
  };
}
