import { byId, el } from './dom.js';

const STAYS_MS = 6000;
const MOST = 3;

/**
 * Shows a short notice in the corner, announced to assistive technology.
 * @param {string} text
 * @param {'good' | 'bad'} [kind]
 */
export function notify(text, kind = 'good') {
  const box = byId('notices');
  const notice = el('p', { class: `notice ${kind}`, dir: 'auto' }, text);
  box.append(notice);
  while (box.childElementCount > MOST) box.firstElementChild?.remove();
  setTimeout(() => notice.remove(), STAYS_MS);
}
