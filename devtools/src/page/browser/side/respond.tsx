import { messageOf } from '../api.js';
import { statusLine } from '../detail/status-text.js';
import type { Session } from '../session.js';
import { notify } from '../shared/notices.js';

const STATUSES = [200, 400, 403, 404, 429, 500, 502, 503];

async function force({ api, state }: Session, status: number | null): Promise<void> {
  try {
    await api.put('respond', { status });
  } catch (error) {
    notify(messageOf(error), 'bad');
    // The choice goes back.
    if (state.value) state.value = { ...state.value };
  }
}

/** Chooses the answer to authentic deliveries, instead of the application's. */
export function Respond({ session }: { session: Session }) {
  const state = session.state.value;
  if (!state?.can.respond) return null;
  const { respond, target } = state;
  const isOther = respond !== undefined && !STATUSES.includes(respond);
  const statuses = isOther ? [...STATUSES, respond].sort((a, b) => a - b) : STATUSES;
  return (
    <section class="card">
      <h2>Answer</h2>
      <label class="respond">
        Answer with
        <select
          key={respond}
          value={respond ?? ''}
          onChange={({ currentTarget: { value } }) => void force(session, value === '' ? null : Number(value))}
        >
          <option value="">{target === undefined ? 'real result' : 'answer of the app'}</option>
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

/** Shows that answers are forced. */
export function RespondBanner({ session }: { session: Session }) {
  const { respond, target } = session.state.value ?? {};
  if (respond === undefined) return null;
  return (
    <section class="banner" aria-label="Forced answers">
      <p>
        <strong>Authentic deliveries are answered {statusLine(respond)}.</strong>
        {target !== undefined && ' Nothing is forwarded.'}
      </p>
      <button type="button" onClick={() => void force(session, null)}>
        {target === undefined ? 'Stop' : 'Answer as the app'}
      </button>
    </section>
  );
}
