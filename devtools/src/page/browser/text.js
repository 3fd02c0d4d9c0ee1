import { el } from './dom.js';

// Controls, bidirectional marks, zero-width characters, tags and lone surrogates; but not tab and line feed.
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Longer text is cut until the user asks for all of it. */
const LONGEST = 300;
/** Length of the pieces in which long text is laid out. */
const PIECE = 16_384;

/** @param {string} character */
const mark = (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;

/**
 * A text with invisible and reordering characters replaced by their names.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(HIDDEN, mark);
}

/**
 * The first characters of a text, without splitting a surrogate pair.
 * @param {string} text
 * @param {number} length
 */
export function start(text, length) {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/**
 * Untrusted text on one line, isolated from the direction of the text around it.
 * @param {string} text
 * @param {string} [className]
 */
export function wire(text, className) {
  return el('bdi', { class: className }, line(text));
}

/**
 * Untrusted text for one line: cut, without line breaks, all characters visible.
 * @param {string} text
 */
export function line(text) {
  const cut = start(text, LONGEST);
  return visible(cut).replace(/[\t\n]+/g, ' ') + (cut.length < text.length ? '…' : '');
}

/**
 * Untrusted text of any length: its beginning, and a button for the rest.
 * @param {string} text
 * @param {number} [length] characters that are shown at first
 */
export function longText(text, length = LONGEST) {
  if (text.length <= length) return el('bdi', { class: 'long' }, visible(text));
  const cut = el('bdi', null, visible(start(text, length)), '…');
  const box = el('span', { class: 'long' }, cut);
  const all = () => {
    // In pieces, so that only visible ones are laid out.
    const pieces = [];
    for (let at = 0; at < text.length; ) {
      const piece = start(text.slice(at, at + PIECE), PIECE);
      pieces.push(el('bdi', { class: 'piece' }, visible(piece)));
      at += piece.length || 1;
    }
    box.replaceChildren(...pieces);
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
  };
  const count = text.length.toLocaleString('en');
  box.append(' ', el('button', { type: 'button', class: 'quiet', onclick: all }, `Show all ${count} characters`));
  return box;
}
