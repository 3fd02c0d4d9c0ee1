import type { Session } from '../session.js';
import { until } from '../shared/format.js';
import type { Connection } from '../stream.js';

/** Announced when it changes. */
function words({ kind, lost }: Connection): string {
  if (kind === 'live') return 'Live';
  if (kind === 'connecting') return lost ? 'Reconnecting…' : 'Connecting…';
  return 'Not connected';
}

/** Whether the page is connected to the server, and when it tries again. */
export function ConnectionStatus({ session }: { session: Session }) {
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
