import { messageOf } from './api.js';
import { byId, el, setText } from './dom.js';
import { until } from './format.js';
import { notify } from './notices.js';
import { wire } from './text.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./stream.js').Connection} Connection */

/** @param {string} title @param {Node | string} value */
const fact = (title, value) => el('div', null, el('dt', null, title), el('dd', null, value));

/** The top bar: what is running, and whether the page is connected to it. @param {() => import('./api.js').Api} api */
export function createTop(api) {
  const facts = byId('facts');
  const mode = byId('mode');
  const sample = /** @type {HTMLButtonElement} */ (byId('sample'));
  const connection = byId('connection');
  const toggle = byId('toggle-side');
  /** @type {Connection} */
  let current = { kind: 'connecting' };

  toggle.addEventListener('click', () => {
    const open = document.body.classList.toggle('side-open');
    toggle.setAttribute('aria-expanded', String(open));
  });
  sample.addEventListener('click', async () => {
    sample.disabled = true;
    try {
      await api().post('sample');
      notify('Sample sent.');
    } catch (error) {
      notify(messageOf(error), 'bad');
    } finally {
      sample.disabled = false;
    }
  });

  // Announced when it changes; the countdown is only visible.
  const words = el('span');
  const seconds = el('span', { 'aria-hidden': 'true' });
  connection.append(words, seconds);
  function tick() {
    setText(words, { connecting: 'Connecting…', live: 'Live', waiting: 'Not connected' }[current.kind]);
    setText(seconds, current.kind === 'waiting' ? `: retrying ${until(current.until, Date.now())}` : '');
    connection.className = current.kind;
    connection.title = current.kind === 'waiting' ? current.reason : '';
  }

  return {
    tick,
    /** @param {Connection} next */
    connection(next) {
      current = next;
      tick();
    },
    /** @param {State} state */
    update(state) {
      document.title = `${state.mode} · event-webhooks`;
      setText(mode, state.mode);
      mode.hidden = false;
      sample.hidden = state.mode !== 'emulate';
      const { service, chain, target } = state;
      facts.replaceChildren(
        ...(service ? [fact(state.mode === 'listen' ? 'Listening at' : 'Service', wire(service.url, 'mono'))] : []),
        ...(target ? [fact('Forwards to', wire(target, 'mono'))] : []),
        ...(chain ? [fact('Chain', wire(`${chain.chainId} at ${chain.rpcUrl}`, 'mono'))] : []),
      );
    },
  };
}
