import { batch, effect, type Signal, signal } from '@preact/signals';
import { type Api, createApi, messageOf } from './api.js';
import { type Filters, matcher, NO_FILTERS } from './filter.js';
import { notify } from './shared/notices.js';
import { createStore, type Store } from './store.js';
import { type Connection, follow } from './stream.js';
import type { State } from './types.js';
import { createView, type View } from './view.js';

/** How a delivery was opened: by a key, which moves the focus into it, or by anything else. */
export type How = 'key' | 'pointer' | 'move';

/** What all parts of the page share. */
export interface Session {
  readonly api: Api;
  readonly state: Signal<State | undefined>;
  readonly connection: Signal<Connection>;
  readonly store: Store;
  /** The deliveries of the store that match the filters. */
  readonly view: View;
  /** Counts up whenever the store or the view changes. */
  readonly version: Signal<number>;
  /** Id of the open delivery. */
  readonly openId: Signal<string | undefined>;
  /** Counts up whenever the open delivery changes, or another one is opened. */
  readonly openVersion: Signal<number>;
  readonly filters: Signal<Filters>;
  /** Whether new deliveries wait until the list is resumed. */
  readonly paused: Signal<boolean>;
  readonly dialog: Signal<'register' | 'keys' | undefined>;
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
  const connection = signal<Connection>({ kind: 'connecting' });
  const version = signal(0);
  const openId = signal<string>();
  const openVersion = signal(0);
  const filters = signal(NO_FILTERS);
  const paused = signal(false);
  const dialog = signal<'register' | 'keys'>();
  let clockOffset = 0;
  const now = () => Date.now() + clockOffset;
  const clock = signal(now());
  const changed = () => void version.value++;

  function close(): void {
    if (openId.value === undefined) return;
    openId.value = undefined;
    // After the page is no longer inert.
    queueMicrotask(() => document.getElementById('list')?.focus({ preventScroll: true }));
  }

  function onCleared(): void {
    store.clear();
    view.refresh();
    batch(() => {
      close();
      changed();
    });
  }

  effect(() => {
    view.setFilter(matcher(filters.value));
    version.value = version.peek() + 1;
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
      store.replace(deliveries);
      view.refresh();
      batch(() => {
        openVersion.value++;
        changed();
      });
    },
    onDeliveries(deliveries) {
      view.update(store.apply(deliveries));
      batch(() => {
        if (deliveries.some(({ id }) => id === openId.value)) openVersion.value++;
        changed();
      });
    },
    onCleared,
    onConnection(next) {
      connection.value = next;
    },
    onUnauthorized,
  });

  return {
    api,
    state,
    connection,
    store,
    view,
    version,
    openId,
    openVersion,
    filters,
    paused,
    dialog,
    clock,
    now,
    open(id, how = 'pointer') {
      batch(() => {
        if (openId.value !== id) openVersion.value++;
        openId.value = id;
      });
      // After the panel is rendered.
      if (how === 'key' || phone.matches) queueMicrotask(() => document.getElementById('detail-title')?.focus());
    },
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
