import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { grouped } from '../shared/format.js';
import { start, visible } from '../shared/text.js';
import { looksLikeJson } from './bytes.js';
import type { Part } from './pretty.js';
import { colour, type Token, tokensOf } from './tokens.js';

/** Characters shown at first, and the length of the pieces in which the rest is laid out. */
const AT_FIRST = 4000;
const PIECE = 16_384;

interface Piece {
  readonly text: string;
  /** Its offset in the tokens' text. */
  readonly from: number;
  readonly tokens: () => readonly Token[];
  readonly unfolded: boolean;
}

/** Computed on first use. */
function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The first `most` characters in pieces, so that only visible ones are laid out and coloured. */
function piecesOf(parts: readonly Part[], most: number): Piece[] {
  const pieces: Piece[] = [];
  let left = most;
  for (const part of parts) {
    const text = visible(part.text);
    const tokens = lazily(() => (looksLikeJson(parts[0]?.text ?? '') ? tokensOf(text) : []));
    for (let from = 0; from < text.length && left > 0; ) {
      const piece = start(text.slice(from, from + PIECE), Math.min(PIECE, left)) || text.slice(from, from + 1);
      pieces.push({ text: piece, from, tokens, unfolded: part.unfolded === true });
      from += piece.length;
      left -= piece.length;
    }
  }
  return pieces;
}

function PieceText({ text, from, tokens, unfolded, isLong }: Piece & { isLong: boolean }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = box.current as HTMLElement;
    let undo = () => {};
    const watch = new IntersectionObserver((entries) => {
      undo();
      const isSeen = entries.at(-1)?.isIntersecting;
      undo = isSeen ? colour(element.firstChild as Text, inPiece(tokens(), from, text.length), from) : () => {};
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      undo();
    };
  }, [text, from, tokens]);
  return (
    <bdi ref={box} class={[isLong && 'piece', unfolded && 'unfolded'].filter(Boolean).join(' ')}>
      {text}
    </bdi>
  );
}

const inPiece = (tokens: readonly Token[], from: number, length: number) =>
  tokens.filter(([, start, end]) => end > from && start < from + length);

/** Untrusted text in a box: its beginning, and a button for the rest. JSON is coloured. */
export function Code({ parts, label }: { parts: readonly Part[]; label: string }) {
  // The expanded text: a different text starts collapsed.
  const [opened, open] = useState<readonly Part[]>();
  const isOpen = opened === parts;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOpen) box.current?.focus({ preventScroll: true });
  }, [isOpen]);
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  const pieces = useMemo(() => piecesOf(parts, isOpen ? Number.POSITIVE_INFINITY : AT_FIRST), [parts, isOpen]);
  return (
    <>
      <section
        ref={box}
        class="body-text mono"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
        tabIndex={0}
        aria-label={label}
      >
        {pieces.map((piece, index) => (
          <PieceText key={index} {...piece} isLong={isOpen} />
        ))}
      </section>
      {!isOpen && length > AT_FIRST && (
        <button type="button" class="quiet" onClick={() => open(parts)}>
          Show all {grouped(length)} characters
        </button>
      )}
    </>
  );
}
