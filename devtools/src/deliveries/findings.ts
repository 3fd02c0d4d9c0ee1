import type { HeaderNames } from 'event-webhook-receiver/verify';
import { certain, type Finding, fault, faultsOf, likely, MOST_BYTES, possible, TOO_LARGE } from '../explain/finding.js';
import type { Question } from '../explain/options.js';
import { answerFindings } from './answer-findings.js';
import type { Attempt } from './delivery-record.js';
import type { KeptDelivery } from './feed.js';
import { unreadBody } from './unread-body.js';
import { verdictOf } from './verdict.js';
import { lastOf } from './views.js';

/** Secrets and settings for explaining deliveries. None of them appears in a finding. */
export interface FindingSources {
  readonly headers: HeaderNames;
  readonly toleranceSeconds?: number | undefined;
  /** The URL that deliveries are forwarded to. (Default: the target of the record.) */
  readonly forwardedTo?: string | undefined;
  /** The secret or secrets of a delivery's webhook; undefined if unknown. */
  secretOf(record: KeptDelivery): string | readonly string[] | undefined;
  /** Secrets of other webhooks, by label. */
  otherSecretsOf?(record: KeptDelivery): Readonly<Record<string, string>>;
}

/**
 * Why the last attempt of a delivery was not accepted, the likeliest cause first. Empty if it was accepted or is not
 * answered yet.
 *
 * @param explain Runs `explainFailure` without blocking.
 */
export async function findingsOf(
  record: KeptDelivery,
  sources: FindingSources,
  explain: (options: Question) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const last = lastOf(record);
  const verdict = verdictOf(last);
  if (last.code === 'NOT_AUTHENTIC') return [certain(texts['accepted-though-not-authentic'])];
  if (last.code === 'FORCED') return [certain(texts['answer-forced'])];
  if (verdict === 'accepted' || verdict === 'pending') return [];
  const secret = sources.secretOf(record);
  const faults: Finding[] = last.fault ? [faultFinding(last.fault)] : [];
  const known = [...faults, ...ofAnswer(record, sources, secret)];
  if (record.verified && faults.length === 0) return [...known, ...authentic(last)];
  const unread = record.recorded || isOurs(last) ? unreadBody(last, record.rawBody) : undefined;
  if (unread) return [...faults, unread];
  if (record.bodyDropped) return [...known, texts['body-dropped']];
  if (record.rawBody.byteLength > MOST_BYTES) return [...known, TOO_LARGE];
  if (secret === undefined || secret.length === 0) return [...known, texts['secret-unknown']];
  const found = await explain({
    rawBody: record.rawBody,
    readBy: 'listener',
    requestHeaders: last.headers,
    headers: sources.headers,
    secret,
    // The time of the attempt, because every delivery is stale by now.
    now: last.at,
    toleranceSeconds: sources.toleranceSeconds,
    otherSecrets: sources.otherSecretsOf?.(record),
  });
  if (found.length > 0 || faults.length > 0) return [...known, ...found];
  return [...known, ...authentic(last)];
}

/** The app's answer, unless the receiver in this process refused the delivery. */
function ofAnswer(
  record: KeptDelivery,
  { forwardedTo = record.target }: FindingSources,
  secret: string | readonly string[] = [],
): Finding[] {
  const last = lastOf(record);
  return isOurs(last) ? [] : answerFindings(last, { url: forwardedTo, secrets: [secret].flat() });
}

/** Whether the code comes from the receiver in this process, which has the secret. */
const isOurs = ({ code = '' }: Attempt) => code.startsWith('ERR_WEBHOOK_');

const faultFinding = (name: string): Finding =>
  certain(
    fault(
      'fault-on-request',
      `This delivery contains a fault that you turned on: ${name}.`,
      'Nothing is wrong with your receiver. Turn the fault off to get authentic deliveries again.',
    ),
  );

function authentic(last: Attempt): Finding[] {
  if (isOurs(last)) return [];
  const { status } = last;
  if (status === 401 || status === 403) return [likely(texts['refused-though-authentic'])];
  return status === 400 || status === 422 ? [possible(texts['content-refused'])] : [];
}

const texts = faultsOf({
  'refused-though-authentic': [
    'The delivery is authentic: the receiver has another secret, or sees different bytes, headers or time.',
    'Check the secret of the receiver and its clock, that it verifies the raw body before anything parses it, and that it reads these headers.',
  ],
  'content-refused': [
    'The delivery is authentic, and the app refused it: 400 and 422 usually mean that it does not accept the content.',
    "Check that the body is a JSON array of events of the schema, and the app's own validation. Some apps answer 400 to a wrong signature, too: check the secret.",
  ],
  'answer-forced': [
    'The delivery is authentic, and the answer was forced on request: no app has seen it.',
    'Start `listen` without --respond, or end forced answers on the page, to get real answers again.',
  ],
  'accepted-though-not-authentic': [
    'The receiver accepted a delivery that is not authentic: it does not verify signatures, or not completely.',
    'Verify the signature over the raw body and the timestamp before anything else, and answer 403 on a mismatch.',
  ],
  'secret-unknown': [
    'The secret of this webhook is unknown here, so the failure cannot be explained.',
    'The webhook may have been removed. Register it again.',
  ],
  'body-dropped': [
    'The body of this delivery was too large or too old to be kept in memory, so the failure cannot be explained.',
    'Explain it from a recording: start `listen` with --record.',
  ],
  'items-not-decoded': [
    'Decoding the items of this delivery took too long or too much memory and was stopped, so no item is shown.',
    'Inspect the bytes of the body.',
  ],
});

export const NOT_DECODED: Finding = texts['items-not-decoded'];
