import { useEffect, useRef, useState } from 'preact/hooks';

// Controls, bidirectional marks, zero-width characters, tags and lone surrogates; but not tab and line feed.
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Longer text is cut until the user asks for all of it. */
const LONGEST = 300;
/** Length of the pieces in which long text is laid out. */
const PIECE = 16_384;

const mark = (character: string) =>
  `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;

/** A text with invisible and reordering characters replaced by their names. */
export const visible = (text: string) => text.replace(HIDDEN, mark);

/** The first characters of a text, without splitting a surrogate pair. */
export function start(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/** Untrusted text for one line: cut, without line breaks, all characters visible. */
export function line(text: string): string {
  const cut = start(text, LONGEST);
  return visible(cut).replace(/[\t\n]+/g, ' ') + (cut.length < text.length ? '…' : '');
}

/** Untrusted text on one line, isolated from the direction of the text around it. */
export const Wire = ({ text, class: name }: { text: string; class?: string }) => <bdi class={name}>{line(text)}</bdi>;

/** In pieces, so that only visible ones are laid out. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = start(text.slice(at, at + PIECE), PIECE);
    pieces.push(piece);
    at += piece.length || 1;
  }
  return pieces;
}

/** Untrusted text of any length: its first `length` characters, and a button for the rest. */
export function LongText({ text, length = LONGEST }: { text: string; length?: number }) {
  // The expanded text: a different text starts collapsed.
  const [opened, open] = useState<string>();
  const box = useRef<HTMLSpanElement>(null);
  const isOpen = opened === text;
  useEffect(() => {
    if (isOpen) box.current?.focus({ preventScroll: true });
  }, [isOpen]);
  if (text.length <= length) return <bdi class="long">{visible(text)}</bdi>;
  if (isOpen) {
    return (
      <span class="long" tabIndex={-1} ref={box}>
        {piecesOf(text).map((piece, index) => (
          <bdi key={index} class="piece">
            {visible(piece)}
          </bdi>
        ))}
      </span>
    );
  }
  return (
    <span class="long">
      <bdi>{`${visible(start(text, length))}…`}</bdi>{' '}
      <button type="button" class="quiet" onClick={() => open(text)}>
        Show all {text.length.toLocaleString('en')} characters
      </button>
    </span>
  );
}
