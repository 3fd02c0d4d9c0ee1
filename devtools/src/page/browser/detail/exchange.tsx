import type { Signal } from '@preact/signals';
import { bytes, counted, duration, moment, momentWithZone } from '../shared/format.js';
import type { Attempt } from '../types.js';
import { ageOf, signedAt } from './age.js';
import { BytesView, type Form } from './bytes-view.js';
import { HeaderTable } from './headers.js';
import { statusLine } from './status-text.js';

/** When a request was sent and signed. */
export function SentAt({ attempt, timestampHeader }: { attempt: Attempt; timestampHeader: string | undefined }) {
  const signed = timestampHeader === undefined ? undefined : signedAt(attempt, timestampHeader);
  const [local = '', utc = ''] = momentWithZone(attempt.at).split('\n');
  return (
    <p class="muted">
      Sent{' '}
      <time dateTime={moment(attempt.at)} title={utc}>
        {local}
      </time>
      {signed !== undefined && (
        <>
          , <span title={`Timestamp ${signed / 1000}: ${momentWithZone(signed)}`}>{ageOf(signed, attempt.at)}</span>
        </>
      )}
      .
    </p>
  );
}

function cutNote({ bytes: count, truncated }: NonNullable<Attempt['response']>, kept: number) {
  return truncated ? `Only the first ${bytes(kept)} of at least ${bytes(count)} are kept.` : undefined;
}

/** The application's answer, shown as text. */
export function Response({ attempt, form }: { attempt: Attempt; form: Signal<Form> }) {
  const { status, response, durationMs, reason, code } = attempt;
  if (status === undefined) {
    return (
      <p class="muted">{reason || code || durationMs !== undefined ? 'There was no answer.' : 'No answer yet.'}</p>
    );
  }
  const kept = response ? Math.floor((response.bodyBase64.replace(/=+$/, '').length * 3) / 4) : 0;
  return (
    <>
      <p class="status-line">
        <strong class="mono">{statusLine(status)}</strong>
        {durationMs !== undefined && <span class="muted"> {duration(durationMs)}</span>}
        {response && <span class="muted"> {response.bytes === 0 ? 'no body' : bytes(response.bytes)}</span>}
      </p>
      {!response && <p class="muted">Its headers and body are not kept.</p>}
      {response && response.headers.length > 0 && (
        <details>
          <summary>{counted(response.headers.length, 'header')}</summary>
          <HeaderTable headers={response.headers} />
        </details>
      )}
      {response && kept > 0 && (
        <BytesView
          base64={response.bodyBase64}
          what="Response"
          form={form}
          note={cutNote(response, kept)}
          isCut={response.truncated}
        />
      )}
    </>
  );
}
