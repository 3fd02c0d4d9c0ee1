import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import type { Detail as Loaded } from '../types.js';
import { Editor } from './editor.js';
import { Head } from './head.js';
import { Story } from './story.js';

/** Loads the open delivery, and again when it changes. Until then, the one before is shown. */
function useDetail({ api, openId, store }: Session) {
  const loaded = useSignal<{ detail?: Loaded | undefined; problem?: string | undefined }>({});
  const summary = useComputed(() => store.get(openId.value)?.summary);
  useSignalEffect(() => {
    void summary.value;
    const id = openId.value;
    const aborter = new AbortController();
    const { signal } = aborter;
    if (id === undefined) loaded.value = {};
    else
      api.get(`deliveries/${encodeURIComponent(id)}`, signal).then(
        (detail: Loaded) => {
          if (!signal.aborted) loaded.value = { detail };
        },
        (error: unknown) => {
          const { detail } = loaded.peek();
          if (!signal.aborted)
            loaded.value = { detail: detail?.id === id ? detail : undefined, problem: messageOf(error) };
        },
      );
    return () => aborter.abort();
  });
  return loaded;
}

/** The panel of the open delivery. */
export function Detail({ session }: { session: Session }) {
  const loaded = useDetail(session);
  const editing = useSignal<string | undefined>(undefined);
  const panel = useRef<HTMLElement>(null);
  const openId = session.openId.value;
  const isOpen = openId !== undefined;
  useEffect(() => {
    if (panel.current) panel.current.scrollTop = 0;
  }, [openId]);

  const { detail, problem } = loaded.value;
  const isEditing = detail !== undefined && editing.value === detail.id;
  return (
    <aside
      id="detail"
      ref={panel}
      aria-labelledby="detail-title"
      aria-busy={isOpen && detail?.id !== openId && problem === undefined}
      hidden={!isOpen}
    >
      <Head
        session={session}
        detail={detail}
        isEditing={isEditing}
        onEdit={() => {
          editing.value = isEditing ? undefined : detail?.id;
        }}
      />
      {problem !== undefined && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      {detail && isEditing && (
        <Editor
          key={detail.id}
          session={session}
          detail={detail}
          onClose={() => {
            editing.value = undefined;
          }}
        />
      )}
      {detail && <Story session={session} detail={detail} />}
    </aside>
  );
}
