import { batch, computed, signal } from '@preact/signals';
import { createApi } from './api.js';
import { matcher, NO_FILTERS } from './filter.js';
import { createCursor, type How } from './list/cursor.js';
import { createSearch } from './search.js';
import { attempt } from './shared/notices.js';
import { createStore } from './store.js';
import { type Connection, follow } from './stream.js';
import type { State } from './types.js';
import { createView } from './view.js';

/** Below this, an opened delivery covers the page (layout.css). */
export const phone = matchMedia('(max-width: 759.98px)');

/**
 * The shared state of the page, which follows the server with the token.
 * @param onUnauthorized called when the server refuses the token
 */
export function createSession(token: string, onUnauthorized: () => void) {
  const api = createApi(token);
  const filters = signal(NO_FILTERS);
  const search = createSearch(api, filters);
  const store = createStore();
  const passes = computed(() => matcher(filters.value, search.found.value));
  const view = createView(store, () => passes.value);
  const cursor = createCursor({ store, view, open });
  const { openId } = cursor;
  const state = signal<State>();
  const connection = signal<Connection>({ kind: 'connecting', lost: false });
  /** Deliveries that came while the tab was in the background. */
  const unseen = signal(0);
  let clockOffset = 0;
  const now = () => Date.now() + clockOffset;
  /** The time of the server, Unix milliseconds, each second. For the exact time, `now()`. */
  const clock = signal(now());

  /** The delivery to show in the list once it arrives: by its id, or the next one. */
  let sought: { id?: string | undefined; from: number; isSent: boolean } | undefined;

  function findSought(): void {
    if (sought === undefined) return;
    const { id, from, isSent } = sought;
    const entry = id === undefined ? store.all().findLast(({ seq }) => seq >= from) : store.get(id);
    if (entry === undefined) return;
    sought = undefined;
    if (isSent && !passes.value(entry)) filters.value = NO_FILTERS;
    if (view.indexOf(entry) < 0) cursor.showWaiting();
    if (view.indexOf(entry) >= 0) cursor.cursor.value = entry;
  }

  /** Shows a delivery in the list once it is there, even if filters or a hold would hide it. (Default: the next new one.) */
  function show(id?: string): void {
    sought = { id, from: store.nextSeq(), isSent: true };
    findSought();
  }

  function open(id: string, how: How = 'pointer'): void {
    batch(() => {
      openId.value = id;
      sought = { id, from: 0, isSent: sought?.id === id && sought.isSent };
      findSought();
    });
    // After the panel is rendered.
    if (how === 'key' || phone.matches) queueMicrotask(() => document.getElementById('detail-title')?.focus());
  }

  function close(): void {
    if (openId.value === undefined) return;
    batch(() => {
      openId.value = undefined;
      cursor.leave();
    });
    // After the page is no longer inert.
    queueMicrotask(() => document.getElementById('list')?.focus({ preventScroll: true }));
  }

  function onCleared(): void {
    store.replace([]);
    close();
    cursor.toTop();
  }

  setInterval(() => {
    clock.value = now();
  }, 1000);

  void follow(api, {
    onState(next) {
      clockOffset = next.now - Date.now();
      store.setLimit(next.limits.maxDeliveries);
      state.value = next;
    },
    onSnapshot(deliveries) {
      const isFirst = store.all().length === 0;
      store.replace(deliveries);
      if (isFirst) cursor.showWaiting();
      search.again();
      findSought();
    },
    onDeliveries(deliveries) {
      const added = store.apply(deliveries);
      search.again();
      if (document.hidden) unseen.value += added;
      findSought();
    },
    onCleared,
    onConnection(next) {
      connection.value = next;
    },
    onUnauthorized,
  });

  return {
    ...cursor,
    api,
    state,
    connection,
    store,
    view,
    filters,
    search,
    dialog: signal<'register' | 'keys'>(),
    /** Whether the drawer with the controls is open. */
    drawer: signal(false),
    unseen,
    clock,
    now,
    open,
    show,
    close,
    /** Removes all deliveries, here and on the server. */
    async clear() {
      if (await attempt(() => api.remove('deliveries'))) onCleared();
    },
    resetFilters() {
      filters.value = NO_FILTERS;
    },
  };
}

export type Session = ReturnType<typeof createSession>;
