import { useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { attempt, notify } from '../shared/notices.js';
import { LongText, line, Wire } from '../shared/text.js';
import type { Webhook } from '../types.js';
import { Receiver } from './receiver.js';

interface ItemProps {
  readonly session: Session;
  readonly webhook: Webhook;
  readonly onRemoved: () => void;
}

function Item({ session, webhook: { id, label, url }, onRemoved }: ItemProps) {
  async function remove(): Promise<void> {
    if (!confirm(`Remove ${line(label)}?`)) return;
    if (!(await attempt(() => session.api.remove(`webhooks/${encodeURIComponent(id)}`)))) return;
    onRemoved();
    notify('Webhook removed.');
  }
  return (
    <li>
      <div class="webhook-head">
        <strong title={line(label)}>
          <Wire text={label} />
        </strong>
        <button type="button" class="quiet" aria-label={`Remove ${line(label)}`} onClick={() => void remove()}>
          Remove
        </button>
      </div>
      <div class="url mono">
        <LongText text={url} length={120} />
      </div>
    </li>
  );
}

/** The registered webhooks, and a button to register one. */
export function Webhooks({ session }: { session: Session }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { dialog, state } = session;
  const webhooks = state.value?.webhooks;
  if (webhooks === undefined) return null;
  // Until one delivery has been accepted.
  const isWaiting = webhooks.length > 0 && session.store.facets().counts.accepted === 0;
  const register = () => {
    dialog.value = 'register';
  };
  return (
    <section class="card">
      <h2 tabIndex={-1} ref={heading}>
        Webhooks
      </h2>
      {webhooks.length === 0 && <p class="muted">None yet. Register the URL of your receiver to start deliveries.</p>}
      <ul class="webhooks">
        {webhooks.map((webhook) => (
          <Item key={webhook.id} session={session} webhook={webhook} onRemoved={() => heading.current?.focus()} />
        ))}
      </ul>
      {isWaiting && <Receiver first={state.value?.firstRun} />}
      <button type="button" class="wide" onClick={register}>
        Register a webhook
      </button>
    </section>
  );
}
