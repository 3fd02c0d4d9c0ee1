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
  /** Deliveries that came while the tab was in the background. */
  readonly unseen: Signal<number>;
  /** The time of the server, Unix milliseconds, each second. For the exact time, `now()`. */
  readonly clock: Signal<number>;
  now(): number;
  open(id: string, how?: How): void;
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

  function open(id: string, how: How = 'pointer'): void {
    batch(() => {
      if (openId.value !== id) openVersion.value++;
      openId.value = id;
      cursor.cursor.value = store.get(id) ?? cursor.cursor.value;
    });
    // After the panel is rendered.
    if (how === 'key' || phone.matches) queueMicrotask(() => document.getElementById('detail-title')?.focus());
  }

  function close(): void {
    if (openId.value === undefined) return;
    openId.value = undefined;
    cursor.leave();
    // After the page is no longer inert.
    queueMicrotask(() => document.getElementById('list')?.focus({ preventScroll: true }));
  }

  /** A delivery that was opened by its address, or sent again, is in the list only later. */
  function findOpen(): void {
    const entry = store.get(openId.value ?? '');
    if (entry && view.indexOf(entry) >= 0) cursor.cursor.value = entry;
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
      findOpen();
      changed();
    },
    onDeliveries(deliveries) {
      const change = store.apply(deliveries);
      view.update(change);
      search.again();
      if (document.hidden) unseen.value += change.added.length;
      if (deliveries.some(({ id }) => id === openId.value)) openVersion.value++;
      findOpen();
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
    unseen,
    clock,
    now,
    open,
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
