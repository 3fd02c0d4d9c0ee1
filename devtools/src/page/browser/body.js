import { copyButton } from './copy.js';
import { el } from './dom.js';
import { bytes as size } from './format.js';
import { hexDump } from './hex.js';
import { pretty } from './pretty.js';
import { longText } from './text.js';

/** @typedef {import('./types.js').Detail} Detail */

/** Characters shown at first. */
const AT_FIRST = 4000;

/** @param {string} base64 */
export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The text of a body, or nothing where it is not UTF-8. @param {Uint8Array} bytes */
export function utf8(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** @type {Record<string, (bytes: Uint8Array, text: string) => HTMLElement>} */
const forms = {
  Text: (_bytes, text) =>
    el(
      'pre',
      { class: 'body-text', tabindex: 0, role: 'group', 'aria-label': 'Body as text' },
      longText(text, AT_FIRST),
    ),
  Indented: (_bytes, text) =>
    el(
      'pre',
      { class: 'body-text', tabindex: 0, role: 'group', 'aria-label': 'Body, indented' },
      longText(pretty(text), AT_FIRST),
    ),
  Hex: (bytes) => hexDump(bytes),
};

/** The selected form of bodies, kept from one delivery to the next. */
let form = 'Text';

/**
 * The bytes of a delivery, as text and as hex.
 * @param {Detail} detail
 */
export function bodyView(detail) {
  if (detail.bodyDropped)
    return [el('p', { class: 'muted' }, 'The body is no longer kept: memory was needed for later deliveries.')];
  const bytes = bytesOf(detail.bodyBase64);
  const strict = utf8(bytes);
  const text = strict ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const shown = el('div', { class: 'shown' });
  const buttons = Object.keys(forms).map((name) => {
    const choose = () => {
      form = name;
      show();
    };
    return el('button', { type: 'button', onclick: choose }, name);
  });
  const note = el('p', { class: 'muted' });
  function show() {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === form));
    shown.replaceChildren(forms[form]?.(bytes, text) ?? '');
    const indented = form === 'Indented' && 'Indented for reading. The signature covers the bytes as received.';
    const broken =
      strict === undefined && 'Not UTF-8: bytes that cannot be decoded are shown as �. Hex shows the bytes.';
    const cut = detail.bodyTruncated && `Only the first ${size(bytes.length)} of ${size(detail.bytes)} are shown.`;
    note.textContent = [indented, broken, cut].filter(Boolean).join(' ');
    note.hidden = note.textContent === '';
  }
  show();
  return [
    el(
      'div',
      { class: 'body-bar' },
      el('div', { class: 'segments', role: 'group', 'aria-label': 'Show the body as' }, ...buttons),
      strict !== undefined && !detail.bodyTruncated && copyButton('Copy body', () => strict, 'Body'),
    ),
    note,
    shown,
  ];
}
