import { messageOf } from './api.js';
import { el } from './dom.js';
import { notify } from './notices.js';
import { createRegistration } from './registration.js';
import { longText, wire } from './text.js';

/** @typedef {import('./types.js').Webhook} Webhook */

/**
 * The registered webhooks, and a button to register one.
 * @param {import('./api.js').Api} api
 */
export function createWebhooks(api) {
  const list = el('ul', { class: 'webhooks' });
  const none = el('p', { class: 'muted' }, 'None yet. Register the URL of your receiver to start deliveries.');
  const registration = createRegistration(api);
  const register = el(
    'button',
    { type: 'button', class: 'primary wide', onclick: registration.open },
    'Register a webhook',
  );
  const heading = el('h2', { tabindex: -1 }, 'Webhooks');
  let shown = '';

  /** @param {Webhook} webhook */
  function item({ id, label, url }) {
    let sure = false;
    const remove = el(
      'button',
      { type: 'button', class: 'quiet' },
      'Remove',
      el('span', { class: 'unseen' }, ' ', wire(label)),
    );
    const ask = (/** @type {boolean} */ asked) => {
      sure = asked;
      remove.classList.toggle('danger', asked);
      remove.replaceChildren(asked ? 'Really remove?' : 'Remove', el('span', { class: 'unseen' }, ' ', wire(label)));
    };
    remove.addEventListener('blur', () => ask(false));
    remove.addEventListener('click', async () => {
      if (!sure) return ask(true);
      try {
        await api.remove(`webhooks/${encodeURIComponent(id)}`);
        heading.focus();
        notify('Webhook removed.');
      } catch (error) {
        notify(messageOf(error), 'bad');
      }
    });
    return el(
      'li',
      null,
      el('div', { class: 'webhook-head' }, el('strong', null, wire(label)), remove),
      el('div', { class: 'url mono' }, longText(url, 120)),
    );
  }

  const node = el('section', { class: 'card' }, heading, none, list, register);
  return {
    node,
    /** @param {readonly Webhook[]} webhooks */
    update(webhooks) {
      const key = JSON.stringify(webhooks.map(({ id, label, url }) => [id, label, url]));
      if (key === shown) return;
      shown = key;
      const within = list.contains(document.activeElement);
      list.replaceChildren(...webhooks.map(item));
      none.hidden = webhooks.length > 0;
      if (within) heading.focus();
    },
    /** Opens the registration, from the empty list. */
    open: registration.open,
  };
}
