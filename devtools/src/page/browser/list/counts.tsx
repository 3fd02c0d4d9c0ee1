import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../session.js';
import { counted, grouped } from '../shared/format.js';

/** Maximum number of deliveries that are cleared without confirmation. */
const UNASKED = 20;

/** `3 of 12 deliveries`. */
function Total({ session: { store, view } }: { session: Session }) {
  const [shown, all] = [view.length() + view.waiting(), store.all().length];
  return (
    <span class="total">
      {shown < all && `${grouped(shown)} of `}
      {grouped(all)}
      <span class="word"> {all === 1 ? 'delivery' : 'deliveries'}</span>
    </span>
  );
}

interface QuestionProps {
  readonly session: Session;
  /** The question was answered. */
  readonly onDone: () => void;
}

/** Asks for confirmation before many deliveries are cleared. Replaces the counts. */
function Question({ session, onDone }: QuestionProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => keep.current?.focus(), []);
  function clear(): void {
    onDone();
    void session.clear();
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onDone();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape anywhere in the question answers no.
    <span class="counts" role="presentation" onKeyDown={onKeyDown}>
      <span class="question" role="alert">
        Clear {counted(session.store.all().length, 'delivery', 'deliveries')}?
      </span>
      <button type="button" class="quiet danger" onClick={clear}>
        Clear
      </button>
      <button type="button" ref={keep} onClick={onDone}>
        Keep
      </button>
    </span>
  );
}

/** The numbers of deliveries, and actions for all of them. */
export function Counts({ session }: { session: Session }) {
  const { store, paused, version, toTop } = session;
  void version.value;
  const [asking, setAsking] = useState(false);
  const clear = useRef<HTMLButtonElement>(null);
  if (asking && store.all().length > 0) {
    const onDone = () => {
      setAsking(false);
      queueMicrotask(() => clear.current?.focus());
    };
    return <Question session={session} onDone={onDone} />;
  }
  function pause(): void {
    if (paused.value) toTop();
    else paused.value = true;
  }
  return (
    <>
      <Total session={session} />
      <button type="button" data-key="p" aria-pressed={paused.value} title="Hold the list (p)" onClick={pause}>
        {paused.value ? 'Resume' : 'Pause'}
      </button>
      <button
        type="button"
        class="quiet"
        ref={clear}
        disabled={store.all().length === 0}
        onClick={() => (store.all().length > UNASKED ? setAsking(true) : void session.clear())}
      >
        Clear list
      </button>
    </>
  );
}
