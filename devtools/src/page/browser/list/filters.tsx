import { useRef } from 'preact/hooks';
import { isFiltering } from '../filter.js';
import type { Session } from '../session.js';
import { clock, grouped } from '../shared/format.js';
import { VerdictIcon, verdicts } from '../shared/verdict.js';
import type { Verdict } from '../types.js';
import { Choice } from './choice.js';
import { Counts } from './counts.js';

const toggled = (all: readonly Verdict[], one: Verdict) =>
  all.includes(one) ? all.filter((each) => each !== one) : [...all, one];

/** Says that not everything was searched. */
function SearchProblem({ session: { search } }: { session: Session }) {
  const problem = search.problem.value;
  return (
    <span class="search-problem" role="status" title={problem}>
      {problem}
    </span>
  );
}

/** Filters by verdict, kind, contract and text. */
export function Filters({ session }: { session: Session }) {
  const { store, filters, version } = session;
  void version.value;
  const search = useRef<HTMLInputElement>(null);
  const { verdicts: on, kind, contract, text, span } = filters.value;
  const set = (change: Partial<typeof filters.value>) => {
    filters.value = { ...filters.value, ...change };
  };
  function reset(): void {
    session.resetFilters();
    search.current?.focus();
  }
  return (
    <>
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
            <span class="word">{verdict}</span>{' '}
            <span class="count">{grouped(store.verdictTally.get(verdict) ?? 0)}</span>
          </button>
        ))}
      </fieldset>
      <div class="counts">
        <Counts session={session} />
      </div>
      <div class="choices">
        <Choice
          label="Kind"
          all="All kinds"
          values={store.kindTally.keys()}
          chosen={kind}
          onChoose={(value) => set({ kind: value })}
        />
        <Choice
          label="Contract"
          all="All contracts"
          values={store.contractTally.keys()}
          chosen={contract}
          onChoose={(value) => set({ contract: value })}
        />
        <input
          ref={search}
          type="search"
          placeholder="Any text"
          aria-label="Search in any text of the deliveries"
          title="Body, headers, answer, ids, addresses, amounts, hashes"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
        <SearchProblem session={session} />
        {span && (
          <button type="button" class="span-chip" onClick={() => set({ span: undefined })}>
            {clock(span.from).slice(0, 8)}–{clock(span.to).slice(0, 8)} ✕
            <span class="unseen"> remove this time filter</span>
          </button>
        )}
      </div>
      <button type="button" class="quiet reset" hidden={!isFiltering(filters.value)} onClick={reset}>
        Reset<span class="unseen"> filters</span>
      </button>
    </>
  );
}
