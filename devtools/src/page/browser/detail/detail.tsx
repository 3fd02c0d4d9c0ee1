import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { Editor } from './editor.js';
import { Head } from './head.js';
import { Story } from './story.js';
import { useDetail } from './use-detail.js';

/** The panel of the open delivery. */
export function Detail({ session }: { session: Session }) {
  const loaded = useDetail(session);
  const editing = useSignal<string | undefined>(undefined);
  const drafts = useRef(new Map<string, string>());
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
          drafts={drafts.current}
          onClose={() => {
            editing.value = undefined;
          }}
        />
      )}
      {detail && <Story session={session} detail={detail} />}
    </aside>
  );
}
