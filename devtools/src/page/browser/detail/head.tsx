import { resend, resendable } from '../send.js';
import type { Session } from '../session.js';
import { copy } from '../shared/copy.js';
import { duration, statusLine } from '../shared/format.js';
import { line, Wire } from '../shared/text.js';
import { meanings, VerdictMark } from '../shared/verdict.js';
import type { Detail } from '../types.js';
import { bytesOf, utf8 } from './bytes.js';
import { curlOf, testOf } from './copies.js';

/** Where a delivery was sent to, as a URL. */
function urlOf(session: Session, target: string): string {
  if (URL.canParse(target)) return target;
  // Concatenated, not resolved: the path `//elsewhere/` would resolve to another host.
  return `${session.state.value?.service?.url.replace(/\/$/, '') ?? ''}${target}`;
}

interface Props {
  readonly session: Session;
  readonly detail: Detail | undefined;
  readonly isEditing: boolean;
  onEdit(): void;
}

function Actions({ session, detail, isEditing, onEdit }: Props & { detail: Detail }) {
  const { id, bodyDropped, bodyTruncated, bodyBase64, target, verified } = detail;
  const state = session.state.value;
  const isWhole = !bodyDropped && !bodyTruncated;
  const text = isWhole ? utf8(bytesOf(bodyBase64)) : undefined;
  const url = urlOf(session, target);
  const test = testOf(detail, url, text);
  // A listener signs nothing that was not signed before.
  const canEdit = state?.can.send && !(state.mode === 'listen' && verified === false);
  return (
    <div class="buttons">
      {!bodyDropped && resendable(state, detail) && (
        <button type="button" data-key="r" onClick={() => void resend(session, [id])}>
          Resend
        </button>
      )}
      {canEdit && (
        <button type="button" data-key="e" aria-expanded={isEditing} onClick={onEdit}>
          Edit and send again
        </button>
      )}
      {isWhole && (
        <button type="button" onClick={() => void copy(curlOf(detail, url, text), 'Command')}>
          Copy as curl
        </button>
      )}
      {test && (
        <button type="button" onClick={() => void copy(test, 'Test')}>
          Copy as test
        </button>
      )}
    </div>
  );
}

/** The verdict, the response and the cause, which stay in view. */
function Answer({ detail: { status, durationMs, verdict, cause } }: { detail: Detail }) {
  const took = durationMs === undefined ? '' : ` in ${duration(durationMs)}`;
  const none = verdict === 'pending' ? meanings.pending : `No response${took}.`;
  return (
    <p class="answer">
      <VerdictMark verdict={verdict} />
      {cause && <strong class="cause">{line(cause.text)}</strong>}
      <span class="muted">{status === undefined ? none : `Answered ${statusLine(status)}${took}.`}</span>
    </p>
  );
}

/** The heading of the open delivery, with its verdict and actions. */
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
      <button type="button" class="close" onClick={() => session.close()}>
        Close
      </button>
      {detail && <Answer detail={detail} />}
      {detail && <Actions {...props} detail={detail} />}
    </div>
  );
}
