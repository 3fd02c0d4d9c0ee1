import { messageOf } from './api.js';
import { copyButton } from './copy.js';
import { el } from './dom.js';
import { longText, wire } from './text.js';

/**
 * The dialog that registers a webhook. The secret is shown once and removed when the dialog closes.
 * @param {import('./api.js').Api} api
 */
export function createRegistration(api) {
  const dialog = el('dialog', { 'aria-labelledby': 'registration-title' });
  const heading = el('h2', { id: 'registration-title', tabindex: -1 });
  const content = el('div');
  dialog.append(heading, content);
  document.body.append(dialog);
  dialog.addEventListener('close', () => content.replaceChildren());

  const button = (/** @type {string} */ label, className = '') =>
    el('button', { type: 'button', class: className, onclick: () => dialog.close() }, label);

  /** @param {string} label @param {string} url @param {string} secret */
  function showSecret(label, url, secret) {
    heading.textContent = 'Webhook registered';
    content.replaceChildren(
      el(
        'p',
        null,
        el('strong', null, wire(label)),
        ' delivers to ',
        el('span', { class: 'mono' }, longText(url)),
        '.',
      ),
      el('p', { id: 'secret-note' }, 'Copy the secret now. It is not shown again.'),
      el('p', { class: 'secret mono', tabindex: 0, role: 'group', 'aria-label': 'Secret' }, longText(secret)),
      el(
        'div',
        { class: 'buttons' },
        copyButton('Copy secret', () => secret, 'Secret'),
        button('Done', 'primary'),
      ),
    );
    heading.focus();
  }

  function showForm() {
    heading.textContent = 'Register a webhook';
    const label = el('input', {
      id: 'new-label',
      name: 'label',
      required: true,
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const url = el('input', {
      id: 'new-url',
      name: 'url',
      type: 'url',
      required: true,
      placeholder: 'http://127.0.0.1:3000/webhooks',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'new-problem',
    });
    const problem = el('p', { id: 'new-problem', class: 'error', role: 'alert' });
    const submit = el('button', { type: 'submit', class: 'primary' }, 'Register');
    const onsubmit = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      problem.textContent = '';
      submit.disabled = true;
      try {
        const created = await api.post('webhooks', { label: label.value, url: url.value });
        if (dialog.open) showSecret(created.label, created.url, created.secret);
      } catch (error) {
        problem.textContent = messageOf(error);
        submit.disabled = false;
        url.focus();
      }
    };
    content.replaceChildren(
      el(
        'form',
        { onsubmit },
        el('label', { for: 'new-label' }, 'Label'),
        label,
        el('label', { for: 'new-url' }, 'URL of the receiver'),
        url,
        problem,
        el('div', { class: 'buttons' }, submit, button('Cancel')),
      ),
    );
    label.focus();
  }

  return {
    open() {
      dialog.showModal();
      showForm();
    },
  };
}
