import { byId, el } from './dom.js';

/** @typedef {import('./types.js').State} State */

/**
 * The content of an empty list: why it is empty, and what to do.
 * @param {object} options
 * @param {import('./store.js').Store} options.store
 * @param {import('./view.js').View} options.view
 * @param {() => void} options.onRegister
 * @param {() => void} options.onReset
 */
export function createEmpty({ store, view, onRegister, onReset }) {
  const box = byId('empty');
  let shown = '';

  /** @param {string} title @param {...(Node | string)} rest */
  const say = (title, ...rest) => box.replaceChildren(el('p', { class: 'empty-title' }, title), ...rest);
  /** @param {string} label @param {() => void} onclick */
  const button = (label, onclick) => el('button', { type: 'button', onclick }, label);

  /** @param {State | undefined} state */
  function show(state) {
    if (store.all().length > 0) say('No delivery matches the filters.', button('Reset filters', onReset));
    else if (!state) say('Connecting…');
    else if (state.mode === 'listen') {
      say(
        'Waiting for the first delivery.',
        el(
          'p',
          null,
          'Point a sender here, or try: ',
          el('code', null, `event-webhooks send ${state.service?.url ?? ''}`.trim()),
        ),
      );
    } else if (state.webhooks?.length === 0) {
      say('No webhook is registered yet.', button('Register a webhook', onRegister));
    } else {
      say('Waiting for the first delivery.', el('p', null, 'Use the watched contract, or send a sample.'));
    }
  }

  return {
    /** @param {State | undefined} state */
    update(state) {
      box.hidden = view.length() + view.waiting() > 0;
      const key = `${box.hidden} ${store.all().length > 0} ${state?.mode} ${state?.webhooks?.length === 0}`;
      if (key === shown) return;
      shown = key;
      if (!box.hidden) show(state);
    },
  };
}
