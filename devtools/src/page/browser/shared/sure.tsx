import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface Props {
  /** What the button says when it asks. */
  readonly question: string;
  /** Whether it acts at the first click. */
  readonly isSure?: boolean;
  readonly disabled?: boolean;
  readonly onSure: () => void;
  readonly children: ComponentChildren;
}

/** A button that acts on the second click. Losing focus, or Escape, cancels the first. */
export function Sure({ question, isSure, disabled, onSure, children }: Props) {
  const [isAsked, ask] = useState(false);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isAsked) return;
    event.stopPropagation();
    ask(false);
  }
  function onClick(): void {
    const mayAct = isAsked || isSure === true;
    ask(!mayAct);
    if (mayAct) onSure();
  }
  return (
    <button
      type="button"
      class={isAsked ? 'quiet danger' : 'quiet'}
      disabled={disabled}
      onBlur={() => ask(false)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {isAsked ? question : children}
    </button>
  );
}
