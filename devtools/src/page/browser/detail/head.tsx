import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import { copy } from '../shared/copy.js';
import { bytes, clock, counted, moment, momentWithZone } from '../shared/format.js';
import { notify } from '../shared/notices.js';
import { Wire } from '../shared/text.js';
import type { Detail } from '../types.js';
import { bytesOf, utf8 } from './bytes.js';
import { curlOf } from './curl.js';

/** The deliveries above and below in the list. */
function Neighbours({ session }: { session: Session }) {
  session.version.value;
  const entry = session.store.get(session.openId.value ?? '');
  const index = entry ? session.view.indexOf(entry) : -1;
  const neighbour = (label: string, sign: string, at: number) => {
    const id = index < 0 ? undefined : session.view.at(at)?.summary.id;
    return (
      <button
        type="button"
        class="quiet"
        aria-label={`${label} delivery`}
        title={`${label} delivery`}
        disabled={id === undefined}
        onClick={() => id !== undefined && session.open(id)}
      >
        {sign}
      </button>
    );
  };
  return (
    <>
      {neighbour('Previous', '↑', index - 1)}
      {neighbour('Next', '↓', index + 1)}
    </>
  );
}

/** Where a delivery was sent to, as a URL. */
function urlOf(session: Session, target: string): string {
  if (URL.canParse(target)) return target;
  // Concatenated, not resolved: the path `//elsewhere/` would resolve to another host.
  return `${session.state.value?.service?.url.replace(/\/$/, '') ?? ''}${target}`;
}

async function resend(session: Session, id: string) {
  try {
    const answer = await session.api.post(`deliveries/${encodeURIComponent(id)}/resend`);
    notify('Delivery resent.');
    if (typeof answer?.id === 'string') session.open(answer.id);
  } catch (problem) {
    notify(messageOf(problem), 'bad');
  }
}

interface Props {
  readonly session: Session;
  readonly detail: Detail | undefined;
  readonly isEditing: boolean;
  onEdit(): void;
}

function Actions({ session, detail, isEditing, onEdit }: Props & { detail: Detail }) {
  const { id, bodyDropped, bodyTruncated, bodyBase64, target } = detail;
  const can = session.state.value?.can;
  const command = () => curlOf(detail, urlOf(session, target), utf8(bytesOf(bodyBase64)));
  return (
    <div class="buttons">
      {!bodyDropped && can?.resend && (
        <button type="button" data-key="r" class={isEditing ? '' : 'primary'} onClick={() => void resend(session, id)}>
          Resend
        </button>
      )}
      {can?.edit && (
        <button type="button" data-key="e" aria-expanded={isEditing} onClick={onEdit}>
          Edit and send again
        </button>
      )}
      {!bodyDropped && !bodyTruncated && (
        <button type="button" onClick={() => void copy(command(), 'Command')}>
          Copy as curl
        </button>
      )}
    </div>
  );
}

function Meta({ detail: { at, events, bytes: size, label, target } }: { detail: Detail }) {
  return (
    <p class="meta">
      <time dateTime={moment(at)} title={momentWithZone(at)}>
        {clock(at)}
      </time>
      {` · ${counted(events, 'event')} · ${bytes(size)} · `}
      <Wire text={label ? `${label} · ${target}` : target} />
    </p>
  );
}

/** The heading of the open delivery, with its actions. */
export function Head(props: Props) {
  const { session, detail } = props;
  return (
    <div class="detail-head">
      <h2 id="detail-title" tabIndex={-1}>
        {detail ? (
          <>
            Delivery <Wire text={detail.id} />
            {detail.recorded && <span class="tag">recorded</span>}
          </>
        ) : (
          'Delivery'
        )}
      </h2>
      <div class="head-buttons">
        <Neighbours session={session} />
        <button type="button" class="close" onClick={() => session.close()}>
          Close
        </button>
      </div>
      {detail && <Meta detail={detail} />}
      {detail && <Actions {...props} detail={detail} />}
    </div>
  );
}
