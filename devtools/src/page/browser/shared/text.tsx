import { useEffect, useRef, useState } from 'preact/hooks';

// Controls, bidirectional marks, zero-width characters, tags and lone surrogates; but not tab and line feed.
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Longer text is cut until the user asks for all of it. */
const LONGEST = 300;
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
export const Wire = ({ text, class: name }: { text: string; class?: string | undefined }) => (
  <bdi class={name}>{line(text)}</bdi>
);

/** Untrusted text: its first `length` characters, and a button for the rest. */
export function LongText({ text, length = LONGEST }: { text: string; length?: number }) {
  // The expanded text: a different text starts collapsed.
  const [opened, open] = useState<string>();
  const box = useRef<HTMLElement>(null);
  const isOpen = opened === text || text.length <= length;
  useEffect(() => {
    if (opened === text) box.current?.focus({ preventScroll: true });
  }, [opened, text]);
  return (
    <span class="long">
      <bdi ref={box} tabIndex={opened === text ? -1 : undefined}>
        {isOpen ? visible(text) : `${visible(start(text, length))}…`}
      </bdi>
      {!isOpen && (
        <button type="button" class="quiet" onClick={() => open(text)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </span>
  );
}
