import { useRef } from 'preact/hooks';
import { isFiltering } from '../filter.js';
import type { Session } from '../session.js';
import { clock, day, grouped } from '../shared/format.js';
import { line } from '../shared/text.js';
import { VerdictIcon, verdicts } from '../shared/verdict.js';
import type { Verdict } from '../types.js';
import { Counts } from './counts.js';
import { Strip } from './strip.js';

/** Limit of values in a select; beyond it, use the search. */
const MOST_OPTIONS = 200;

interface ChoiceProps {
  readonly label: string;
  readonly values: Iterable<string>;
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

/** A select of the values that are present. Options are numbered: values from the wire are never used in markup. */
function Choice({ label, values, chosen, onChoose }: ChoiceProps) {
  const options = [...values].sort().slice(0, MOST_OPTIONS);
  if (chosen !== undefined && !options.includes(chosen)) options.unshift(chosen);
  return (
    <select
      aria-label={label}
      value={chosen === undefined ? '' : options.indexOf(chosen)}
      onChange={({ currentTarget }) => onChoose(options[currentTarget.selectedIndex - 1])}
    >
      <option value="">{`All ${label.toLowerCase()}s`}</option>
      {options.map((value, index) => (
        <option key={value} value={index} dir="auto">
          {line(value) || '(empty)'}
        </option>
      ))}
    </select>
  );
}

const toggled = (all: readonly Verdict[], one: Verdict) =>
  all.includes(one) ? all.filter((each) => each !== one) : [...all, one];

/** Filters by time, verdict, kind, contract and text. The counts of the verdicts are of all deliveries. */
export function Filters({ session }: { session: Session }) {
  const { store, filters } = session;
  const { counts, kinds, contracts } = store.facets();
  const search = useRef<HTMLInputElement>(null);
  const { verdicts: on, kind, contract, text, span } = filters.value;
  const { problem } = session.search;
  const set = (change: Partial<typeof filters.value>) => {
    filters.value = { ...filters.value, ...change };
  };
  function reset(): void {
    session.resetFilters();
    search.current?.focus();
  }
  return (
    <>
      <Strip session={session} />
      <fieldset class="chips" aria-label="Verdict">
        {verdicts.map((verdict) => (
          <button
            key={verdict}
            type="button"
            class={`chip ${verdict}`}
            aria-pressed={on.includes(verdict)}
            onClick={() => set({ verdicts: toggled(on, verdict) })}
          >
            <VerdictIcon verdict={verdict} />
            <span class="word">{verdict}</span> <span class="count">{grouped(counts[verdict])}</span>
          </button>
        ))}
      </fieldset>
      <div class="choices">
        <input
          ref={search}
          type="search"
          placeholder="Any text"
          aria-label="Search in any text of the deliveries"
          title="Body, headers, response, ids, addresses, amounts, hashes (/)"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
        <Choice label="Kind" values={kinds} chosen={kind} onChoose={(value) => set({ kind: value })} />
        <Choice label="Contract" values={contracts} chosen={contract} onChoose={(value) => set({ contract: value })} />
        <span class="search-problem" role="status" title={problem.value}>
          {problem.value}
        </span>
        {span && (
          <button type="button" class="span-chip" onClick={() => set({ span: undefined })}>
            {day(span.from)}–{clock(span.to)} ✕<span class="unseen"> remove this time filter</span>
          </button>
        )}
        <button type="button" class="quiet reset" hidden={!isFiltering(filters.value)} onClick={reset}>
          Reset<span class="unseen"> filters</span>
        </button>
      </div>
      <div class="counts">
        <Counts session={session} />
      </div>
    </>
  );
}
