import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import { CommandLine, CopyButton } from '../shared/copy.js';
import { Dialog } from '../shared/dialog.js';
import { LongText, Wire } from '../shared/text.js';

interface Created {
  readonly label: string;
  readonly url: string;
  readonly secret: string;
}

/** The secret, which is shown once. */
function Secret({ created, command, onDone }: { created: Created; command: string | undefined; onDone: () => void }) {
  const { label, url, secret } = created;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h2 id="register-title" tabIndex={-1} ref={heading}>
        Webhook registered
      </h2>
      <p>
        <strong>
          <Wire text={label} />
        </strong>{' '}
        delivers to{' '}
        <span class="mono">
          <LongText text={url} />
        </span>
        .
      </p>
      <p id="secret-note">Copy the secret now. It is not shown again.</p>
      {/* biome-ignore lint/a11y: it scrolls, and is selected by keyboard. */}
      <p class="secret mono" tabIndex={0} role="group" aria-label="Secret">
        <LongText text={secret} />
      </p>
      {command && (
        <>
          <p>Start your receiver with it. This command waits for the secret: paste it, and press Enter.</p>
          <CommandLine text={command} />
        </>
      )}
      <div class="buttons">
        <CopyButton label="Copy secret" text={secret} what="Secret" />
        <button type="button" class="primary" onClick={onDone}>
          Done
        </button>
      </div>
    </>
  );
}

interface FormProps {
  readonly session: Session;
  readonly onCreated: (created: Created) => void;
  readonly onCancel: () => void;
}

function Form({ session, onCreated, onCancel }: FormProps) {
  const label = useRef<HTMLInputElement>(null);
  const url = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setProblem('');
    setSending(true);
    try {
      onCreated(await session.api.post('webhooks', { label: label.current?.value, url: url.current?.value }));
    } catch (error) {
      setProblem(messageOf(error));
      setSending(false);
      url.current?.focus();
    }
  }

  return (
    <>
      <h2 id="register-title">Register a webhook</h2>
      <form onSubmit={(event) => void submit(event)}>
        <label for="new-label">Label</label>
        <input ref={label} id="new-label" name="label" required autocomplete="off" spellcheck={false} />
        <label for="new-url">URL of the receiver</label>
        <input
          ref={url}
          id="new-url"
          name="url"
          type="url"
          required
          defaultValue="http://127.0.0.1:3000/webhooks"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="new-problem"
        />
        <p id="new-problem" class="error" role="alert">
          {problem}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isSending}>
            Register
          </button>
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </form>
    </>
  );
}

/** The content of the open dialog. Closing it discards its state, including the secret. */
function Content({ session, onClose }: { session: Session; onClose: () => void }) {
  const [created, setCreated] = useState<Created>();
  // Kept, because the state drops it once a webhook is registered.
  const [firstRun] = useState(session.state.value?.firstRun);
  if (created)
    return <Secret created={created} command={firstRun?.asks ? firstRun.secretCommand : undefined} onDone={onClose} />;
  return <Form session={session} onCreated={setCreated} onCancel={onClose} />;
}

/** The dialog that registers a webhook. */
export const Registration = ({ session }: { session: Session }) => (
  <Dialog session={session} name="register">
    {(close) => <Content session={session} onClose={close} />}
  </Dialog>
);
