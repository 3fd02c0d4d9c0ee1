import type { HeaderNames } from 'event-webhook-receiver/verify';
import type { Finding } from '../explain/finding.js';
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

/** Maximum body size in bytes: explaining larger ones would take too long. */
export const MOST_BYTES = 10 * 1024 * 1024;

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
  if (last.code === 'NOT_AUTHENTIC') return [ACCEPTED];
  if (last.code === 'FORCED') return [FORCED];
  if (verdict === 'accepted' || verdict === 'pending') return [];
  const secret = sources.secretOf(record);
  const faults: Finding[] = last.fault ? [faultFinding(last.fault)] : [];
  const known = [...faults, ...ofAnswer(record, sources, secret)];
  if (record.verified && faults.length === 0) return [...known, ...authentic(last)];
  const unread = record.recorded || isOurs(last) ? unreadBody(last, record.rawBody) : undefined;
  if (unread) return [...faults, unread];
  if (record.bodyDropped) return [...known, DROPPED];
  if (record.rawBody.byteLength > MOST_BYTES) return [...known, TOO_LARGE];
  if (secret === undefined || secret.length === 0) return [...known, NO_SECRET];
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

function faultFinding(fault: string): Finding {
  return {
    cause: 'fault-on-request',
    what: `This delivery contains a fault that you turned on: ${fault}.`,
    confidence: 'certain',
    fix: 'Nothing is wrong with your receiver. Turn the fault off to get authentic deliveries again.',
  };
}

function authentic(last: Attempt): Finding[] {
  if (isOurs(last)) return [];
  const { status } = last;
  if (status === 401 || status === 403) return [REFUSED];
  return status === 400 || status === 422 ? [CONTENT_REFUSED] : [];
}

const REFUSED: Finding = {
  cause: 'refused-though-authentic',
  what: 'The delivery is authentic: the receiver has another secret, or sees different bytes, headers or time.',
  confidence: 'likely',
  fix: 'Check the secret of the receiver and its clock, that it verifies the raw body before anything parses it, and that it reads these headers.',
};
const CONTENT_REFUSED: Finding = {
  cause: 'content-refused',
  what: 'The delivery is authentic, and the app refused it: 400 and 422 usually mean that it does not accept the content.',
  confidence: 'possible',
  fix: "Check that the body is a JSON array of events of the schema, and the app's own validation. Some apps answer 400 to a wrong signature, too: check the secret.",
};

const FORCED: Finding = {
  cause: 'answer-forced',
  what: 'The delivery is authentic, and the answer was forced on request: no app has seen it.',
  confidence: 'certain',
  fix: 'Start `listen` without --respond, or end forced answers on the page, to get real answers again.',
};
const ACCEPTED: Finding = {
  cause: 'accepted-though-not-authentic',
  what: 'The receiver accepted a delivery that is not authentic: it does not verify signatures, or not completely.',
  confidence: 'certain',
  fix: 'Verify the signature over the raw body and the timestamp before anything else, and answer 403 on a mismatch.',
};
const NO_SECRET: Finding = {
  cause: 'secret-unknown',
  what: 'The secret of this webhook is unknown here, so the failure cannot be explained.',
  confidence: 'possible',
  fix: 'The webhook may have been removed. Register it again.',
};
const DROPPED: Finding = {
  cause: 'body-dropped',
  what: 'The body of this delivery was too large or too old to be kept in memory, so the failure cannot be explained.',
  confidence: 'possible',
  fix: 'Explain it from a recording: start `listen` with --record.',
};
const TOO_LARGE: Finding = {
  cause: 'body-too-large-to-explain',
  what: `The body is larger than ${MOST_BYTES} bytes: explaining it would take too long.`,
  confidence: 'possible',
  fix: 'Reproduce the failure with a smaller delivery.',
};
export const NOT_DECODED: Finding = {
  cause: 'items-not-decoded',
  what: 'Decoding the items of this delivery took too long or too much memory and was stopped, so no item is shown.',
  confidence: 'certain',
  fix: 'Inspect the bytes of the body.',
};
