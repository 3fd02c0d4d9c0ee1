import { signal } from '@preact/signals';
import type { Session } from '../session.js';
import { counted, until } from '../shared/format.js';
import { attempt } from '../shared/notices.js';
import { Wire } from '../shared/text.js';
import type { State } from '../types.js';

type Held = NonNullable<State['queue']>[number];

const sending = signal(false);

async function retry({ api }: Session, webhookId: number): Promise<void> {
  sending.value = true;
  await attempt(() => api.post(`webhooks/${encodeURIComponent(webhookId)}/retry`));
  sending.value = false;
}

/** A webhook whose deliveries wait behind a failed one that is retried. */
function HeldBack({ session, held }: { session: Session; held: Held }) {
  const { webhookId, label, behind, waiting, nextAttemptAt } = held;
  return (
    <section class="banner refused" aria-label="Deliveries that wait">
      <p>
        <strong>
          <Wire text={label} />
        </strong>
        {`: ${counted(waiting, 'delivery', 'deliveries')} waiting behind `}
        <button type="button" class="link" onClick={() => session.open(behind, 'key')}>
          #<Wire text={behind} />
        </button>
        {nextAttemptAt === undefined
          ? ', which is being sent.'
          : `, which is sent again ${until(nextAttemptAt, session.clock.value)}.`}
      </p>
      {nextAttemptAt !== undefined && (
        <button type="button" disabled={sending.value} onClick={() => void retry(session, webhookId)}>
          Retry now
        </button>
      )}
    </section>
  );
}

/** Shows which deliveries wait, and behind which one. */
export function QueueBanner({ session }: { session: Session }) {
  const held = (session.state.value?.queue ?? []).filter(({ waiting }) => waiting > 0);
  return (
    <>
      {held.map((each) => (
        <HeldBack key={each.webhookId} session={session} held={each} />
      ))}
    </>
  );
}
