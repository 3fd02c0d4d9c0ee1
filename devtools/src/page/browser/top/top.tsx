import { FaultBanner } from '../drawer/faults.js';
import { QueueBanner } from '../drawer/queue-banner.js';
import { RespondBanner } from '../drawer/respond.js';
import { sendingSample, sendSample } from '../send.js';
import type { Session } from '../session.js';
import { until } from '../shared/format.js';
import { Wire } from '../shared/text.js';
import type { Connection } from '../stream.js';
import type { State } from '../types.js';

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

/** Announced when it changes. */
function words({ kind, lost }: Connection): string {
  if (kind === 'live') return 'Live';
  if (kind === 'connecting') return lost ? 'Reconnecting…' : 'Connecting…';
  return 'Not connected';
}

/** Whether the page is connected to the server, and when it tries again. */
function ConnectionStatus({ session }: { session: Session }) {
  const connection = session.connection.value;
  const isWaiting = connection.kind === 'waiting';
  void session.clock.value;
  return (
    <>
      <span id="connection" class={connection.kind} title={isWaiting ? connection.reason : undefined}>
        <span role="status">{words(connection)}</span>
        {/* The countdown is not announced. */}
        {isWaiting && <span aria-hidden="true">· next try {until(connection.until, Date.now())}</span>}
      </span>
      {isWaiting && (
        <button type="button" class="quiet" onClick={connection.tryNow}>
          Try now
        </button>
      )}
    </>
  );
}

/** The top bar: what is running, and whether the page is connected to it. */
export function Top({ session }: { session: Session }) {
  const { drawer, dialog } = session;
  const state = session.state.value;
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
              dialog.value = 'keys';
            }}
          >
            ?
          </button>
          {state?.can.sample && (
            <button id="sample" type="button" disabled={sendingSample.value} onClick={() => void sendSample(session)}>
              Send sample
            </button>
          )}
          <button
            id="toggle-drawer"
            type="button"
            aria-expanded={drawer.value}
            aria-controls="drawer"
            data-key="c"
            title="Webhooks, faults, recordings (c)"
            onClick={() => {
              drawer.value = !drawer.value;
            }}
          >
            Controls
          </button>
        </div>
      </div>
      <FaultBanner session={session} />
      <RespondBanner session={session} />
      <QueueBanner session={session} />
    </>
  );
}
