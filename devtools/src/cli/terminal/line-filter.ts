import type { KeptDelivery } from '../../deliveries/feed.js';
import { lastOf } from '../../deliveries/views.js';

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

export function createLineFilter(text = ''): LineFilter {
  return {
    text,
    matches(record, printed) {
      const wanted = this.text.toLowerCase();
      if (wanted === '') return true;
      const has = (each: string) => each.toLowerCase().includes(wanted);
      return has(printed?.() ?? '') || textsOf(record).some(has);
    },
  };
}

/** What a delivery contains. Its body is searched as text, without parsing it. */
function textsOf(record: KeptDelivery): string[] {
  const { id, target, label = '', rawBody } = record;
  const { headers, reason = '', code = '' } = lastOf(record);
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`#${id}`, target, label, reason, code, ...lines, new TextDecoder().decode(rawBody)];
}
