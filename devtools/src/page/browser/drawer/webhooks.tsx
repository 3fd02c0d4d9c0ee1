import { useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { counted } from '../shared/format.js';
import { attempt, notify } from '../shared/notices.js';
import { Sure } from '../shared/sure.js';
import { LongText, line, Wire } from '../shared/text.js';
import type { Webhook } from '../types.js';

interface ItemProps {
  readonly session: Session;
  readonly webhook: Webhook;
  readonly onRemoved: () => void;
}

function Item({ session, webhook: { id, label, url }, onRemoved }: ItemProps) {
  async function remove(): Promise<void> {
    if (!(await attempt(() => session.api.remove(`webhooks/${encodeURIComponent(id)}`)))) return;
    onRemoved();
    notify('Webhook removed.');
  }
  const held = session.state.value?.queue?.find(({ webhookId }) => webhookId === id);
  return (
    <li>
      <div class="webhook-head">
        <strong title={line(label)}>
          <Wire text={label} />
        </strong>
        <Sure question={`Really remove ${line(label)}?`} onSure={() => void remove()}>
          Remove
          <span class="unseen">
            {' '}
            <Wire text={label} />
          </span>
        </Sure>
      </div>
      <div class="url mono">
        <LongText text={url} length={120} />
      </div>
      {held && held.waiting > 0 && <div class="held">{counted(held.waiting, 'delivery', 'deliveries')} waiting</div>}
    </li>
  );
}

/** The registered webhooks, and a button to register one. */
export function Webhooks({ session }: { session: Session }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { dialog, state } = session;
  const webhooks = state.value?.webhooks;
  if (webhooks === undefined) return null;
  void session.version.value;
  // Until one delivery has been accepted.
  const isWaiting =
    webhooks.length > 0 && state.value?.firstRun !== undefined && !session.store.verdictTally.get('accepted');
  const showReceiver = () => {
    dialog.value = 'receiver';
  };
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
      {isWaiting && (
        <button type="button" class="wide" onClick={showReceiver}>
          No receiver yet?
        </button>
      )}
      <button type="button" class="wide" onClick={register}>
        Register a webhook
      </button>
    </section>
  );
}
