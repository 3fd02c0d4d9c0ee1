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

/** The searchable text of a summary. */
function textOf(entry: Entry): string {
  const { id, label, target, code, status, fault, kinds, contracts, names, gist, cause } = entry.summary;
  entry.text ??= [id, `#${id}`, label, target, code, status, fault, cause?.text, ...kinds, ...contracts, ...names, gist]
    .join('\n')
    .toLowerCase();
  return entry.text;
}

/** Whether an entry matches. @param found ids that the server found by the text */
export function matcher(filters: Filters, found: ReadonlySet<string> = new Set()): (entry: Entry) => boolean {
  const { verdicts, kind, contract, span } = filters;
  const needle = filters.text.trim().toLowerCase();
  return (entry) => {
    const { summary } = entry;
    return (
      (verdicts.length === 0 || verdicts.includes(summary.verdict)) &&
      (kind === undefined || summary.kinds.includes(kind)) &&
      (contract === undefined || summary.contracts.includes(contract)) &&
      (span === undefined || (summary.at >= span.from && summary.at < span.to)) &&
      (needle === '' || found.has(summary.id) || textOf(entry).includes(needle))
    );
  };
}
