import { createApi, messageOf } from './api.js';
import { createChart } from './chart.js';
import { createDetail } from './detail.js';
import { byId, onFrame } from './dom.js';
import { createEmpty } from './empty.js';
import { createFaults } from './faults.js';
import { createFilters } from './filters.js';
import { createList } from './list.js';
import { showLost } from './lost.js';
import { notify } from './notices.js';
import { createStore } from './store.js';
import { follow } from './stream.js';
import { dropToken, takeToken, tokenIsGiven } from './token.js';
import { createTop } from './top.js';
import { createView } from './view.js';
import { createWebhooks } from './webhooks.js';

/** Below this, an opened delivery covers the page (layout.css). */
const phone = matchMedia('(max-width: 759.98px)');

/** @param {string} token */
function start(token) {
  const api = createApi(token);
  const store = createStore();
  const view = createView(store);
  let clockOffset = 0;
  const now = () => Date.now() + clockOffset;
  /** @type {import('./types.js').State | undefined} */
  let state;

  const top = createTop(() => api);
  const chart = createChart(store, now);
  const webhooks = createWebhooks(api);
  const faults = createFaults(api);
  byId('side').append(chart.node, webhooks.node, faults.node);

  const filters = createFilters({ store, view, onChange: () => update(), onClear: () => void clear() });
  const empty = createEmpty({ store, view, onRegister: webhooks.open, onReset: filters.reset });
  const list = createList({ view, now, onOpen: open, onEscape: () => close() });
  const detail = createDetail({ api, now, urlOf, canResend, onClose: () => close(), onResent });

  function update() {
    list.update();
    filters.update();
    chart.update();
    onFrame(() => empty.update(state));
  }

  /** A listener without a target cannot resend. */
  function canResend() {
    return state?.mode === 'emulate' || state?.target !== undefined;
  }

  /** Makes the page behind a covering panel inert. */
  function cover() {
    const covered = phone.matches && detail.openId() !== undefined;
    for (const id of ['top', 'side', 'main']) byId(id).toggleAttribute('inert', covered);
  }

  /** @param {import('./store.js').Entry} entry @param {'key' | 'pointer' | 'move'} how */
  function open(entry, how) {
    list.mark(entry);
    detail.open(entry.summary.id);
    document.body.classList.add('detail-open');
    cover();
    if (how === 'key' || phone.matches) detail.focus();
  }

  function close() {
    if (detail.openId() === undefined) return;
    detail.close();
    document.body.classList.remove('detail-open');
    cover();
    list.mark(undefined);
    list.leave();
    list.focus();
  }

  /** @param {string} id */
  function onResent(id) {
    if (id === detail.openId()) return;
    const entry = store.get(id);
    if (entry) list.mark(entry);
    detail.open(id);
  }

  /** @param {string} target */
  function urlOf(target) {
    if (URL.canParse(target)) return target;
    // Concatenated, not resolved: the path `//elsewhere/` would resolve to another host.
    return `${state?.service?.url.replace(/\/$/, '') ?? ''}${target}`;
  }

  function onCleared() {
    store.clear();
    view.refresh();
    close();
    list.toTop();
    update();
  }

  async function clear() {
    try {
      await api.remove('deliveries');
      onCleared();
    } catch (error) {
      notify(messageOf(error), 'bad');
    }
  }

  /** @param {import('./types.js').State} next */
  function onState(next) {
    state = next;
    clockOffset = next.now - Date.now();
    store.setLimit(next.limits.maxDeliveries);
    top.update(next);
    webhooks.node.hidden = next.webhooks === undefined;
    faults.node.hidden = next.faults === undefined;
    if (next.webhooks) webhooks.update(next.webhooks);
    if (next.faults) faults.update(next.faults);
    update();
  }

  /** @param {readonly import('./types.js').Summary[]} deliveries */
  function onDeliveries(deliveries) {
    view.update(store.apply(deliveries));
    detail.changed(deliveries.map(({ id }) => id));
    // A delivery resent under another id is in the list only now.
    const entry = store.get(detail.openId() ?? '');
    if (entry) list.mark(entry);
    update();
  }

  phone.addEventListener('change', cover);
  setInterval(() => {
    top.tick();
    detail.tick();
    list.update();
    chart.update();
  }, 1000);
  void follow(api, {
    onState,
    onSnapshot(deliveries) {
      store.replace(deliveries);
      view.refresh();
      detail.changed(deliveries.map(({ id }) => id));
      update();
    },
    onDeliveries,
    onCleared,
    onConnection: top.connection,
    onUnauthorized() {
      dropToken();
      showLost();
    },
  });
}

// Pasting an address into a tab that shows the page changes only the hash.
addEventListener('hashchange', () => {
  if (tokenIsGiven()) location.reload();
});
const token = takeToken();
if (token) start(token);
else showLost();
