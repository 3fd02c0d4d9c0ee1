import { saveRecording } from '../drawer/recordings.js';
import { resend, resendable } from '../send.js';
import type { Session } from '../session.js';
import { counted, grouped } from '../shared/format.js';

/** Maximum number of deliveries that are cleared without confirmation. */
const UNASKED = 20;

/** `3 of 12 deliveries`. */
function Total({ session: { store, view, search } }: { session: Session }) {
  const [shown, all] = [view.total(), store.all().length];
  return (
    <span class="total" role="status">
      {search.searching.value ? 'Searching ' : shown < all && `${grouped(shown)} of `}
      {grouped(all)}
      <span class="word"> {all === 1 ? 'delivery' : 'deliveries'}</span>
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
  const { store, picked, paused, toTop } = session;
  if (picked.value.size > 0) return <Picked session={session} />;
  function pause(): void {
    if (paused.value) toTop();
    else paused.value = true;
  }
  function clear(): void {
    const count = store.all().length;
    if (count <= UNASKED || confirm(`Clear ${counted(count, 'delivery', 'deliveries')}?`)) void session.clear();
  }
  return (
    <>
      <Total session={session} />
      <button type="button" data-key="p" aria-pressed={paused.value} title="Hold the list (p)" onClick={pause}>
        {paused.value ? 'Resume' : 'Pause'}
      </button>
      <button type="button" class="quiet" disabled={store.all().length === 0} onClick={clear}>
        Clear list
      </button>
    </>
  );
}
