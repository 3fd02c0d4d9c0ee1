import type { Session } from '../session.js';
import { statusLine } from '../shared/format.js';
import { attempt } from '../shared/notices.js';

const STATUSES = [200, 400, 403, 404, 429, 500, 502, 503];

async function force({ api, state }: Session, status: number | null): Promise<void> {
  const isDone = await attempt(() => api.put('respond', { status }));
  // The choice goes back.
  if (!isDone && state.value) state.value = { ...state.value };
}

/** Chooses the response to authentic deliveries, instead of the application's. */
export function Respond({ session }: { session: Session }) {
  const state = session.state.value;
  if (!state?.can.respond) return null;
  const { respond, target } = state;
  const isOther = respond !== undefined && !STATUSES.includes(respond);
  const statuses = isOther ? [...STATUSES, respond].sort((a, b) => a - b) : STATUSES;
  return (
    <section class="card">
      <h2>Response</h2>
      <label class="respond">
        Respond with
        <select
          key={respond}
          value={respond ?? ''}
          onChange={({ currentTarget: { value } }) => void force(session, value === '' ? null : Number(value))}
        >
          <option value="">{target === undefined ? 'verification result' : 'your app’s response'}</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {statusLine(status)}
            </option>
          ))}
        </select>
      </label>
      <p class="muted">
        A status is sent for authentic deliveries{target === undefined ? '' : ', which are then not forwarded'}.
      </p>
    </section>
  );
}

/** Shows that responses are forced. */
export function RespondBanner({ session }: { session: Session }) {
  const { respond, target } = session.state.value ?? {};
  if (respond === undefined) return null;
  return (
    <section class="banner refused" aria-label="Forced responses">
      <p>
        <strong>Every authentic delivery gets {statusLine(respond)}.</strong>
        {target !== undefined && ' Nothing is forwarded.'}
      </p>
      <button type="button" onClick={() => void force(session, null)}>
        {target === undefined ? 'Stop' : 'Respond as the app'}
      </button>
    </section>
  );
}
