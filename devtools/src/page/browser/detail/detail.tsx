import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { bytes } from '../shared/format.js';
import type { Detail as Delivery } from '../types.js';
import { AttemptTable, nextAttempt } from './attempts.js';
import { BytesView, type Form } from './bytes-view.js';
import { CompareReceived, SignedAndSent } from './compare.js';
import { Editor } from './editor.js';
import { Events } from './events.js';
import { Response, SentAt } from './exchange.js';
import { Explanation } from './explanation.js';
import { Head } from './head.js';
import { HeaderTable } from './headers.js';
import { useDetail } from './use-detail.js';

const Section = ({ heading, children }: { heading: string; children: ComponentChildren }) => (
  <section>
    <h3>{heading}</h3>
    {children}
  </section>
);

/** When the next attempt is due, counting down. */
function Next({ session, detail }: { session: Session; detail: Delivery }) {
  session.clock.value;
  const text = nextAttempt(detail.nextAttemptAt, session.now());
  return text ? <p class="next">{text}</p> : null;
}

function Body({ detail, form }: { detail: Delivery; form: Signal<Form> }) {
  const { bodyDropped, bodyTruncated, bodyBase64, bytes: size } = detail;
  if (bodyDropped) {
    return <p class="muted">The body is no longer kept: memory was needed for later deliveries.</p>;
  }
  const note = bodyTruncated && `Only the first 1 MiB of ${bytes(size)} is shown.`;
  return (
    <BytesView
      base64={bodyBase64}
      what="Body"
      form={form}
      note={note || undefined}
      indentedNote="Indented for reading. The signature covers the bytes as received."
      isCut={bodyTruncated}
    />
  );
}

/** The details of a delivery, with the result and the fix first. */
function Sections({ session, detail }: { session: Session; detail: Delivery }) {
  const form = useSignal<Form>('Text');
  const responseForm = useSignal<Form>('Indented');
  const chosen = useSignal<{ id: string; index: number } | undefined>(undefined);
  const { api } = session;
  const state = session.state.value;
  const { attempts, earlierAttempts = 0, id } = detail;
  const index = chosen.value?.id === id ? chosen.value.index : attempts.length - 1;
  const attempt = attempts[index];
  const of = attempts.length > 1 ? ` of attempt ${earlierAttempts + index + 1}` : '';
  return (
    <div class="sections">
      <Section heading="Verdict">
        <Explanation detail={detail} />
      </Section>
      {attempt && (
        <Section heading={`Response${of}`}>
          <Response attempt={attempt} form={responseForm} />
        </Section>
      )}
      <Section heading="Events">
        <Events key={id} api={api} detail={detail} state={state} />
      </Section>
      <Section heading="Attempts">
        <AttemptTable
          detail={detail}
          shown={index}
          onShow={(next) => {
            chosen.value = { id, index: next };
          }}
        />
        <Next session={session} detail={detail} />
      </Section>
      {attempt && (
        <Section heading={`Headers${of}`}>
          <SentAt attempt={attempt} timestampHeader={state?.headers.timestamp} />
          <HeaderTable headers={attempt.headers} more={attempt.moreHeaders} />
        </Section>
      )}
      {detail.signedBase64 !== undefined && (
        <Section heading="Signed and sent">
          <SignedAndSent api={api} detail={detail} />
        </Section>
      )}
      <Section heading="Body">
        <Body detail={detail} form={form} />
        {!detail.bodyDropped && <CompareReceived key={id} api={api} id={id} />}
      </Section>
    </div>
  );
}

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
  }, [isOpen]);

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
      {detail && <Sections session={session} detail={detail} />}
    </aside>
  );
}
