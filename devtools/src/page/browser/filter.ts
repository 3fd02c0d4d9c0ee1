import type { Entry } from './store.js';
import type { Verdict } from './types.js';

/** The filters of the list. An absent field does not filter. */
export interface Filters {
  /** Accepted values; empty for all. */
  readonly verdicts: readonly Verdict[];
  readonly kind?: string | undefined;
  readonly contract?: string | undefined;
  /** Text anywhere in the delivery, in any case. */
  readonly text: string;
  /** First sent or received within this time, Unix milliseconds; `to` is excluded. */
  readonly span?: { readonly from: number; readonly to: number } | undefined;
}

export const NO_FILTERS: Filters = { verdicts: [], text: '' };

export const isFiltering = ({ verdicts, kind, contract, text, span }: Filters) =>
  verdicts.length > 0 || kind !== undefined || contract !== undefined || span !== undefined || text.trim() !== '';

/** Whether an entry matches. @param found ids that the server found by the text; undefined without an answer */
export function matcher(filters: Filters, found: ReadonlySet<string> | undefined): (entry: Entry) => boolean {
  const { verdicts, kind, contract, span } = filters;
  return ({ summary }) =>
    (verdicts.length === 0 || verdicts.includes(summary.verdict)) &&
    (kind === undefined || summary.kinds.includes(kind)) &&
    (contract === undefined || summary.contracts.includes(contract)) &&
    (span === undefined || (summary.at >= span.from && summary.at < span.to)) &&
    (found === undefined || found.has(summary.id));
}
