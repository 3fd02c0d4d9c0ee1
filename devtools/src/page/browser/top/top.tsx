import { signal } from '@preact/signals';
import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import { notify } from '../shared/notices.js';
import { Wire } from '../shared/text.js';
import { FaultBanner } from '../side/fault-banner.js';
import { QueueBanner } from '../side/queue-banner.js';
import { RespondBanner } from '../side/respond.js';
import type { State } from '../types.js';
import { ConnectionStatus } from './connection.js';

const Fact = ({ title, text }: { title: string; text: string }) => (
  <div>
    <dt>{title}</dt>
    <dd>
      <Wire text={text} class="mono" />
    </dd>
  </div>
);

function Facts({ state: { mode, service, chain, target } }: { state: State }) {
  return (
    <>
      {service && <Fact title={mode === 'listen' ? 'Listening at' : 'Service'} text={service.url} />}
      {target && <Fact title="Forwards to" text={target} />}
      {chain && <Fact title="Chain" text={`${chain.chainId} at ${chain.rpcUrl}`} />}
    </>
  );
}

const sending = signal(false);

async function sendSample(session: Session): Promise<void> {
  if (session.state.value?.webhooks?.length === 0) {
    notify('A sample needs a webhook: register the URL of your receiver first.', 'bad');
    session.dialog.value = 'register';
    return;
  }
  sending.value = true;
  try {
    await session.api.post('sample');
    notify('Sample sent.');
  } catch (error) {
    notify(messageOf(error), 'bad');
  } finally {
    sending.value = false;
  }
}

const sideOpen = signal(false);

function toggleSide(): void {
  sideOpen.value = document.body.classList.toggle('side-open');
}

/** The top bar: what is running, and whether the page is connected to it. */
export function Top({ session }: { session: Session }) {
  const state = session.state.value;
  // One primary action per view: without a webhook, register one; in an open delivery, send it again.
  const isPrimary = state?.webhooks?.length !== 0 && session.openId.value === undefined;
  return (
    <>
      <div id="bar">
        <h1>
          <span class="brand">event-webhooks</span>{' '}
          {state && (
            <span id="mode" class="tag">
              {state.mode}
            </span>
          )}
        </h1>
        <dl id="facts">{state && <Facts state={state} />}</dl>
        <div id="actions">
          <ConnectionStatus session={session} />
          <button
            type="button"
            class="quiet keys-button"
            aria-label="Keyboard shortcuts"
            title="Keyboard shortcuts (?)"
            onClick={() => {
              session.dialog.value = 'keys';
            }}
          >
            ?
          </button>
          <button
            id="toggle-side"
            type="button"
            aria-expanded={sideOpen.value}
            aria-controls="side"
            onClick={toggleSide}
          >
            Controls
          </button>
          {state?.mode === 'emulate' && (
            <button
              id="sample"
              type="button"
              class={isPrimary ? 'primary' : ''}
              disabled={sending.value}
              onClick={() => void sendSample(session)}
            >
              Send sample
            </button>
          )}
        </div>
      </div>
      <FaultBanner session={session} />
      <RespondBanner session={session} />
      <QueueBanner session={session} />
    </>
  );
}
