import type { Entry } from './store.js';
import type { Summary, Verdict } from './types.js';

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

const texts = new WeakMap<Summary, string>();

/** The searchable text of a summary, made when it is first needed. */
function textOf(summary: Summary): string {
  const before = texts.get(summary);
  if (before !== undefined) return before;
  const { id, label, target, code, status, fault, kinds, contracts, names, gist, cause } = summary;
  const parts = [id, `#${id}`, label, target, code, status, fault, cause?.text, ...kinds, ...contracts, ...names, gist];
  const text = parts.join('\n').toLowerCase();
  texts.set(summary, text);
  return text;
}

/** Whether an entry matches. @param found ids that the server found by the text */
export function matcher(filters: Filters, found: ReadonlySet<string> = new Set()): (entry: Entry) => boolean {
  const { verdicts, kind, contract, span } = filters;
  const needle = filters.text.trim().toLowerCase();
  return ({ summary }) =>
    (verdicts.length === 0 || verdicts.includes(summary.verdict)) &&
    (kind === undefined || summary.kinds.includes(kind)) &&
    (contract === undefined || summary.contracts.includes(contract)) &&
    (span === undefined || (summary.at >= span.from && summary.at < span.to)) &&
    (needle === '' || found.has(summary.id) || textOf(summary).includes(needle));
}
