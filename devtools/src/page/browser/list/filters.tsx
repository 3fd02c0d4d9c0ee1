import { useRef } from 'preact/hooks';
import { isFiltering } from '../filter.js';
import type { Session } from '../session.js';
import { counted, grouped } from '../shared/format.js';
import { VerdictIcon, verdicts } from '../shared/verdict.js';
import type { Verdict } from '../types.js';
import { Choice } from './choice.js';

const toggled = (all: readonly Verdict[], one: Verdict) =>
  all.includes(one) ? all.filter((each) => each !== one) : [...all, one];

/** `3 of 12 deliveries`. */
function Total({ session: { store, view } }: { session: Session }) {
  const [shown, all] = [view.length() + view.waiting(), store.all().length];
  const deliveries = counted(all, 'delivery', 'deliveries');
  return <span class="total">{shown === all ? deliveries : `${grouped(shown)} of ${deliveries}`}</span>;
}

/** Filters by verdict, kind, contract and text. */
export function Filters({ session }: { session: Session }) {
  const { store, filters, version } = session;
  void version.value;
  const search = useRef<HTMLInputElement>(null);
  const { verdicts: on, kind, contract, text } = filters.value;
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
        <Total session={session} />
        <button type="button" class="quiet" hidden={!isFiltering(filters.value)} onClick={reset}>
          Reset filters
        </button>
        <button type="button" class="quiet" hidden={store.all().length === 0} onClick={() => void session.clear()}>
          Clear list
        </button>
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
          placeholder="Search"
          aria-label="Search in names, labels, targets and codes"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      </div>
    </>
  );
}
