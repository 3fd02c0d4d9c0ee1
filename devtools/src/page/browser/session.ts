import { batch, effect, type Signal, signal } from '@preact/signals';
import { type Api, createApi, messageOf } from './api.js';
import { type Filters, matcher, NO_FILTERS } from './filter.js';
import { type Cursor, createCursor, type How } from './list/cursor.js';
import { createSearch, type Search } from './search.js';
import { onFrame } from './shared/frame.js';
import { notify } from './shared/notices.js';
import { createStore, type Store } from './store.js';
import { type Connection, follow } from './stream.js';
import type { State } from './types.js';
import { createView, type View } from './view.js';

/** The shared state of the page. */
export interface Session extends Cursor {
  readonly api: Api;
  readonly state: Signal<State | undefined>;
  readonly connection: Signal<Connection>;
  readonly store: Store;
  /** The deliveries of the store that match the filters. */
  readonly view: View;
  /** Counts up when the store or the view has changed, at most once a frame. */
  readonly version: Signal<number>;
  /** Counts up whenever the open delivery changes, or another one is opened. */
  readonly openVersion: Signal<number>;
  readonly filters: Signal<Filters>;
  readonly search: Search;
  readonly dialog: Signal<'register' | 'receiver' | 'keys' | undefined>;
  /** Whether the drawer with the controls is open. */
  readonly drawer: Signal<boolean>;
  /** Deliveries that came while the tab was in the background. */
  readonly unseen: Signal<number>;
  /** The time of the server, Unix milliseconds, each second. For the exact time, `now()`. */
  readonly clock: Signal<number>;
  now(): number;
  open(id: string, how?: How): void;
  /** Shows a delivery in the list once it is there, even if filters or a hold would hide it. (Default: the next new one.) */
  show(id?: string): void;
  close(): void;
  /** Removes all deliveries, here and on the server. */
  clear(): Promise<void>;
  resetFilters(): void;
}

/** Below this, an opened delivery covers the page (layout.css). */
export const phone = matchMedia('(max-width: 759.98px)');

/** Follows the server with the token. @param onUnauthorized called when the server refuses the token */
export function createSession(token: string, onUnauthorized: () => void): Session {
  const api = createApi(token);
  const store = createStore();
  const view = createView(store);
  const state = signal<State>();
  const connection = signal<Connection>({ kind: 'connecting', lost: false });
  const version = signal(0);
  const openVersion = signal(0);
  const filters = signal(NO_FILTERS);
  const unseen = signal(0);
  let clockOffset = 0;
  const now = () => Date.now() + clockOffset;
  const clock = signal(now());
  const bump = () => {
    version.value++;
  };
  const changed = () => onFrame(bump);
  const search = createSearch(api, filters);
  const cursor = createCursor({ store, view, changed, open });
  const { openId } = cursor;

  /** What is to be shown in the list once it is there: a delivery by its id, or the next one that comes. */
  let sought: { id?: string | undefined; from: number; isSent: boolean } | undefined;

  function findSought(): void {
    if (sought === undefined) return;
    const { id, from, isSent } = sought;
    const entry = id === undefined ? store.all().findLast(({ seq }) => seq >= from) : store.get(id);
    if (entry === undefined) return;
    sought = undefined;
    if (isSent && !matcher(filters.value, search.found.value)(entry)) filters.value = NO_FILTERS;
    if (view.indexOf(entry) < 0) cursor.showWaiting();
    if (view.indexOf(entry) >= 0) cursor.cursor.value = entry;
  }

  function show(id?: string): void {
    sought = { id, from: store.nextSeq(), isSent: true };
    findSought();
  }

  function open(id: string, how: How = 'pointer'): void {
    batch(() => {
      if (openId.value !== id) openVersion.value++;
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
    store.clear();
    view.refresh();
    close();
    cursor.toTop();
    changed();
  }

  effect(() => {
    view.setFilter(matcher(filters.value, search.found.value));
    changed();
  });
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
      view.refresh();
      if (isFirst) cursor.showWaiting();
      search.again();
      openVersion.value++;
      findSought();
      changed();
    },
    onDeliveries(deliveries) {
      const added = store.apply(deliveries);
      view.refresh();
      search.again();
      if (document.hidden) unseen.value += added.length;
      if (deliveries.some(({ id }) => id === openId.value)) openVersion.value++;
      findSought();
      changed();
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
    version,
    openVersion,
    filters,
    search,
    dialog: signal(),
    drawer: signal(false),
    unseen,
    clock,
    now,
    open,
    show,
    close,
    async clear() {
      try {
        await api.remove('deliveries');
        onCleared();
      } catch (error) {
        notify(messageOf(error), 'bad');
      }
    },
    resetFilters() {
      filters.value = NO_FILTERS;
    },
  };
}
