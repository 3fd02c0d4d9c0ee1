import { byId, el } from './dom.js';
import { keepToken } from './token.js';

/** Shows that the page has no valid token, and how to get one. */
export function showLost() {
  const field = el('input', { id: 'token-field', autocomplete: 'off', spellcheck: 'false', required: true });
  const problem = el('p', { class: 'error', role: 'alert' });
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (keepToken(field.value)) location.reload();
    else problem.textContent = 'No token found. The address ends with #token=….';
  };
  const heading = el('h2', { tabindex: -1 }, 'This page needs its token');
  const form = el(
    'form',
    { class: 'lost', onsubmit },
    heading,
    el(
      'p',
      null,
      'Deliveries are private, so the page opens only at the address that the command printed: ',
      el('code', null, `${location.origin}/#token=…`),
      '. Find it in the terminal where ',
      el('code', null, 'event-webhooks'),
      ' runs. Each start creates a new token; restart the command if you lost the address.',
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
