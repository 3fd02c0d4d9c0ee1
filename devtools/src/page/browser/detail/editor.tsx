import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import { bytes } from '../shared/format.js';
import { notify } from '../shared/notices.js';
import { line, visible } from '../shared/text.js';
import type { Detail } from '../types.js';
import { base64Of, bytesOf, utf8 } from './bytes.js';
import { pretty } from './pretty.js';

/** Maximum size: larger bodies make a text field slow. */
const MOST_BYTES = 256_000;

/** The text of a body to edit, or why it cannot be edited. */
function editable({ bodyDropped, bytes: count, bodyBase64 }: Detail): { text: string } | { reason: string } {
  if (bodyDropped) return { reason: 'The body is no longer kept.' };
  if (count > MOST_BYTES) {
    return { reason: `The body has ${bytes(count)}. Up to ${bytes(MOST_BYTES)} can be edited here.` };
  }
  const text = utf8(bytesOf(bodyBase64));
  return text === undefined ? { reason: 'The body is not UTF-8: as text, other bytes would be sent.' } : { text };
}

/** A remark on a text that is not JSON; empty for JSON. The browser's message names the position. */
function remarkOn(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return `Not JSON: ${line(messageOf(error))}. It can be sent anyway.`;
  }
}

interface Props {
  readonly session: Session;
  readonly detail: Detail;
  onClose(): void;
}

/** Edits the body of a delivery, and sends it with a new signature. */
export function Editor({ session, detail, onClose }: Props) {
  const { id } = detail;
  const source = useMemo(() => editable(detail), [detail.bodyBase64]);
  const original = 'text' in source ? source.text : '';
  const [text, setText] = useState(original);
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Before the focus, which scrolls to the caret: the end of the text otherwise.
    field.current?.setSelectionRange(0, 0);
    field.current?.focus();
  }, []);

  async function send() {
    setSending(true);
    setProblem('');
    try {
      const bodyBase64 = base64Of(new TextEncoder().encode(text));
      const answer: { id: string } = await session.api.post(`deliveries/${encodeURIComponent(id)}/edit`, {
        bodyBase64,
      });
      notify(`Sent as delivery ${answer.id}.`);
      onClose();
      session.open(answer.id, 'key');
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setSending(false);
    }
  }

  const remark = remarkOn(text);
  return (
    <section
      class="editor"
      aria-label="Edit and send again"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <h3>Edit and send again</h3>
      {'reason' in source ? (
        <p>{source.reason}</p>
      ) : (
        <>
          <label for="edited">Body</label>
          <textarea
            id="edited"
            ref={field}
            class="mono"
            rows={14}
            spellcheck={false}
            autocomplete="off"
            aria-describedby="edited-remark"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <p id="edited-remark" class={remark ? 'remark' : 'muted'}>
            {remark || 'Valid JSON.'}
            {visible(text) !== text && ' It contains invisible or reordering characters.'}
            {original.includes('\r') && ' Line ends become LF.'}
          </p>
        </>
      )}
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        {'text' in source && (
          <button type="button" class="primary" disabled={isSending} onClick={() => void send()}>
            Sign and send
          </button>
        )}
        {'text' in source && !remark && pretty(text) !== text && (
          <button type="button" onClick={() => setText(pretty(text))}>
            Indent body
          </button>
        )}
        {text !== original && (
          <button type="button" onClick={() => setText(original)}>
            Start over
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close editor
        </button>
      </div>
    </section>
  );
}
