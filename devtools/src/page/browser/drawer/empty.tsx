import { sendingSample, sendSample } from '../send.js';
import type { Session } from '../session.js';
import { CommandLine } from '../shared/copy.js';
import type { State } from '../types.js';
import { Receiver } from './receiver.js';

/** The service has no webhook: the first step. */
function NoWebhook({ session }: { session: Session }) {
  const register = () => {
    session.dialog.value = 'register';
  };
  return (
    <>
      <p class="empty-title">No webhook is registered yet.</p>
      <p>Register the URL of your receiver. Each event is then signed and delivered to it.</p>
      <button type="button" class="primary" onClick={register}>
        Register a webhook
      </button>
      <Receiver first={session.state.value?.firstRun} />
    </>
  );
}

/** Sends a sample from the page. */
const Sample = ({ session }: { session: Session }) => (
  <button type="button" class="primary" disabled={sendingSample.value} onClick={() => void sendSample(session)}>
    Send a sample
  </button>
);

function Listening({ session, state }: { session: Session; state: State }) {
  const { service, target, firstRun, can, sendCommand } = state;
  return (
    <>
      <p class="empty-title">Waiting for the first delivery.</p>
      <p>
        Point a sender at <code>{service?.url}</code>, on any path.
      </p>
      {can.sample && <Sample session={session} />}
      {sendCommand !== undefined && <CommandLine text={sendCommand} label="Send" />}
      {target === undefined && (
        <p class="muted">Deliveries are verified and shown. With --forward 3000 your app gets them too.</p>
      )}
      <Receiver first={firstRun} />
    </>
  );
}

function Content({ session }: { session: Session }) {
  const state = session.state.value;
  if (session.store.all().length > 0) {
    return (
      <>
        <p class="empty-title">No delivery matches the filters.</p>
        <button type="button" onClick={session.resetFilters}>
          Reset filters
        </button>
      </>
    );
  }
  if (!state) return <p class="empty-title">Connecting…</p>;
  if (state.mode === 'listen') return <Listening session={session} state={state} />;
  if (state.webhooks?.length === 0) return <NoWebhook session={session} />;
  return (
    <>
      <p class="empty-title">Waiting for the first delivery.</p>
      <p>Use the watched contract, or send a sample.</p>
      {state.can.sample && <Sample session={session} />}
    </>
  );
}

/** The content of an empty list: why it is empty, and what to do. */
export function Empty({ session }: { session: Session }) {
  const isEmpty = session.view.total() === 0;
  return (
    <div id="empty" hidden={!isEmpty}>
      {isEmpty && <Content session={session} />}
    </div>
  );
}
