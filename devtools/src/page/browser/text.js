import { el } from './dom.js';

// Controls, marks that turn the direction of writing, what has no width, tags, halves of pairs; but not tab and line feed.
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Longer text is cut until its reader asks for all of it. */
const LONGEST = 300;
/** What is laid out as one piece of a long text. */
const PIECE = 16_384;

/** @param {string} character */
const mark = (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;

/**
 * A text with everything in it to be seen: characters that hide, or that reorder what stands around them, are named.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(HIDDEN, mark);
}

/**
 * The first so many characters, and never half a pair.
 * @param {string} text
 * @param {number} length
 */
export function start(text, length) {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/**
 * Text of the wire in one line, kept apart from the direction of what stands around it.
 * @param {string} text
 * @param {string} [className]
 */
export function wire(text, className) {
  return el('bdi', { class: className }, line(text));
}

/**
 * Text of the wire for one line: cut, on one line, visible.
 * @param {string} text
 */
export function line(text) {
  const cut = start(text, LONGEST);
  return visible(cut).replace(/[\t\n]+/g, ' ') + (cut.length < text.length ? '…' : '');
}

/**
 * Text of the wire as it is, however long: the beginning, and a button for the rest.
 * @param {string} text
 * @param {number} [length] characters that are shown at first
 */
export function longText(text, length = LONGEST) {
  if (text.length <= length) return el('bdi', { class: 'long' }, visible(text));
  const cut = el('bdi', null, visible(start(text, length)), '…');
  const box = el('span', { class: 'long' }, cut);
  const all = () => {
    // In pieces: only those in sight are laid out.
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
