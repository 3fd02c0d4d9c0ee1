import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { saveRecording } from '../drawer/recordings.js';
import { resend, resendable } from '../send.js';
import type { Session } from '../session.js';
import { counted, grouped } from '../shared/format.js';

/** Maximum number of deliveries that are cleared without confirmation. */
const UNASKED = 20;

/** `3 of 12 deliveries`. */
function Total({ session: { store, view, search, version } }: { session: Session }) {
  void version.value;
  const [shown, all] = [view.total(), store.all().length];
  return (
    <span class="total" role="status">
      {search.searching.value ? 'Searching ' : shown < all && `${grouped(shown)} of `}
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

/** Asks for confirmation before many deliveries are cleared. */
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

/** Actions on the deliveries that are selected. */
function Picked({ session }: { session: Session }) {
  const { picked, store, state } = session;
  const ids = [...picked.value].filter((id) => store.get(id));
  const sendable = ids.filter((id) => resendable(state.value, store.get(id)?.summary));
  const end = () => {
    picked.value = new Set();
  };
  return (
    <>
      <span class="total" role="status">
        {grouped(ids.length)} selected
      </span>
      {state.value?.can.resend && (
        <button
          type="button"
          disabled={sendable.length === 0}
          title={sendable.length < ids.length ? 'Deliveries that are not authentic cannot be resent' : undefined}
          onClick={() => void resend(session, sendable).then(end)}
        >
          Resend {grouped(sendable.length)}
        </button>
      )}
      <button type="button" onClick={() => void saveRecording(session, ids)}>
        Export {grouped(ids.length)}
      </button>
      <button type="button" class="quiet" onClick={end}>
        Cancel
      </button>
    </>
  );
}

/** The numbers of deliveries, and actions for all of them or those that are selected. */
export function Counts({ session }: { session: Session }) {
  const { store, picked, paused, version, toTop } = session;
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
  if (picked.value.size > 0) return <Picked session={session} />;
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
