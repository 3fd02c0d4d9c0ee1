import type { KeptDelivery } from '../../deliveries/feed.js';
import type { KnownContracts } from '../../deliveries/known-contracts.js';
import { hasText } from '../../deliveries/search.js';

/** Which deliveries are printed. */
export interface LineFilter {
  /** Only deliveries that contain this text, case-insensitively, are printed; if empty, all are. */
  text: string;
  /**
   * Whether a delivery is printed.
   *
   * @param printed Returns the text that would be printed.
   */
  matches(record: KeptDelivery, printed?: () => string): boolean;
}

/** Creates a filter that matches like the page's search. */
export function createLineFilter(text = '', contracts: () => KnownContracts = () => new Map()): LineFilter {
  return {
    text,
    matches(record, printed = () => '') {
      if (this.text === '') return true;
      return printed().toLowerCase().includes(this.text.toLowerCase()) || hasText(record, this.text, contracts());
    },
  };
}
