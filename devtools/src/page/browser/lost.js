import { byId, el } from './dom.js';
import { keepToken } from './token.js';

/** Says that the page has no token that the server takes, and how to get one. */
export function showLost() {
  const field = el('input', { id: 'token-field', autocomplete: 'off', spellcheck: 'false', required: true });
  const problem = el('p', { class: 'error', role: 'alert' });
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (keepToken(field.value)) location.reload();
    else problem.textContent = 'That holds no token. The address ends in #token=… .';
  };
  const heading = el('h2', { tabindex: -1 }, 'This page needs its token');
  const form = el(
    'form',
    { class: 'lost', onsubmit },
    heading,
    el(
      'p',
      null,
      'Deliveries are private, so the page opens only with the address that the command has printed: ',
      el('code', null, `${location.origin}/#token=…`),
      '. Look for it in the terminal in which ',
      el('code', null, 'event-webhooks'),
      ' runs. Every start makes a new token; start the command again if the address is lost.',
    ),
    el('label', { for: 'token-field' }, 'Or paste the address, or the token, here'),
    field,
    problem,
    el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'primary' }, 'Open')),
  );
  for (const id of ['skip', 'side', 'detail', 'actions', 'fault-banner']) byId(id).hidden = true;
  byId('main').replaceChildren(form);
  document.body.classList.add('is-lost');
  heading.focus();
}
