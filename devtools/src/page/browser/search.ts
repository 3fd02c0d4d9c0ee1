import { effect, type Signal, signal } from '@preact/signals';
import type { Api } from './api.js';
import type { Filters } from './filter.js';

const TYPING_MS = 200;
/** Delay in ms between two searches for the same text while deliveries arrive. */
const AGAIN_MS = 1000;

/** Searches on the server when typing pauses. Until it answers, the list shows what it showed before. */
export function createSearch(api: Api, filters: Signal<Filters>) {
  /** The ids that were found; undefined without a text. */
  const found = signal<ReadonlySet<string>>();
  /** Why not everything was searched. */
  const problem = signal<string>();
  /** Whether the server has not answered yet. */
  const searching = signal(false);
  let text = '';
  let asked = new AbortController();
  /** Set while a search waits or runs. New deliveries do not restart it, or it would never finish. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether deliveries have arrived since the last search started. */
  let isDue = false;

  async function ask(): Promise<void> {
    isDue = false;
    asked = new AbortController();
    const { signal: stop } = asked;
    try {
      const answer = await api.get(`search?text=${encodeURIComponent(text)}`, stop);
      if (stop.aborted) return;
      found.value = new Set(answer.ids);
      problem.value = answer.complete ? undefined : 'Too much to search at once: more deliveries may match.';
    } catch {
      if (stop.aborted) return;
      problem.value = 'Not searched: the server does not answer.';
    }
    searching.value = false;
    timer = undefined;
    if (isDue) again();
  }

  /** Deliveries have come or changed. */
  function again(): void {
    isDue = true;
    if (text !== '') timer ??= setTimeout(() => void ask(), AGAIN_MS);
  }

  effect(() => {
    const next = filters.value.text.trim();
    if (next === text) return;
    text = next;
    asked.abort();
    clearTimeout(timer);
    timer = text === '' ? undefined : setTimeout(() => void ask(), TYPING_MS);
    if (text === '') found.value = undefined;
    problem.value = undefined;
    searching.value = text !== '';
  });

  return { found, searching, problem, again };
}
