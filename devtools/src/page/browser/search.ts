import { effect, type Signal, signal } from '@preact/signals';
import type { Api } from './api.js';
import type { Filters } from './filter.js';

const TYPING_MS = 200;
/** Delay in ms between two searches for the same text while deliveries arrive. */
const AGAIN_MS = 1000;

/** Searches on the server, for texts that the page does not have: bodies, headers, answers. */
export interface Search {
  readonly found: Signal<ReadonlySet<string>>;
  /** Whether the server has not answered yet. */
  readonly searching: Signal<boolean>;
  /** Why not everything was searched. */
  readonly problem: Signal<string | undefined>;
  /** Deliveries have come or changed. */
  again(): void;
}

const NONE: ReadonlySet<string> = new Set();

/** Asks the server for the text of the filters, when typing pauses. */
export function createSearch(api: Api, filters: Signal<Filters>): Search {
  const found = signal(NONE);
  const problem = signal<string>();
  const searching = signal(false);
  let text = '';
  let asked = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function ask(): Promise<void> {
    timer = undefined;
    asked.abort();
    asked = new AbortController();
    const { signal: stop } = asked;
    try {
      const answer = await api.get(`search?text=${encodeURIComponent(text)}`, stop);
      if (stop.aborted) return;
      found.value = new Set(answer.ids);
      problem.value = answer.complete ? undefined : 'Too much to search at once: more deliveries may match.';
      searching.value = false;
    } catch {
      if (stop.aborted) return;
      problem.value = 'Only what the list shows was searched: the server does not answer.';
      searching.value = false;
    }
  }

  effect(() => {
    const next = filters.value.text.trim();
    if (next === text) return;
    text = next;
    asked.abort();
    clearTimeout(timer);
    timer = text === '' ? undefined : setTimeout(() => void ask(), TYPING_MS);
    found.value = NONE;
    problem.value = undefined;
    searching.value = text !== '';
  });

  return {
    found,
    searching,
    problem,
    again() {
      if (text !== '') timer ??= setTimeout(() => void ask(), AGAIN_MS);
    },
  };
}
