import { verifySignature } from 'event-webhook-receiver/verify';
import { findAge } from './age.js';
import { boundaryMoved, isBoundaryMoved } from './boundary.js';
import { certain, type Finding } from './finding.js';
import { asArrived } from './in-transit.js';
import { inspectParts } from './inspect.js';
import { type ExplainFailureOptions, type ReadOptions, readOptions } from './options.js';
import { search } from './search.js';
import { isTimestamp } from './text.js';
import { createWork, type Work } from './work-limit.js';

/**
 * Explains why a delivery does not verify (spec section 5.2). It tries about a hundred common mistakes, alone and in
 * pairs: a body that was parsed and serialized again, a secret with a line break, a timestamp in milliseconds, a
 * signature in base64. Synchronous on every runtime; never throws. Time and memory are linear in the delivery, and it
 * hashes at most 64 MiB: about two seconds and 150 MB for any delivery of up to 2 MiB.
 *
 * For tests, scripts and tools. Do not call it while you handle requests, where every forgery would cost those seconds,
 * and never send its findings to a sender. Findings contain no secret, no expected signature and nothing of the body.
 *
 * @example
 * ```ts
 * import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
 * import { explainFailure } from 'event-webhooks/explain';
 *
 * const { rawBody, signature, timestamp } = createTestDelivery([sampleEventEmitted()], { secret: 'whsec-test' });
 * const [finding] = explainFailure({ rawBody, signature, timestamp, secret: 'whsec-test\n' });
 * console.log(finding?.what, finding?.fix);
 * ```
 * @param options The delivery as received, and the secret that it was verified with.
 * @returns Findings, the likeliest first; fix consecutive `certain` findings together. `[]` when the delivery is authentic and fresh.
 */
export function explainFailure(options: ExplainFailureOptions): Finding[] {
  return explainWithin(options, createWork());
}

/** {@link explainFailure} within a given amount of work. */
export function explainWithin(options: unknown, work: Work): Finding[] {
  const given = readOptions(options);
  return explainParts(given, work).map((finding) => asArrived(finding, given.readBy));
}

function explainParts(given: ReadOptions, work: Work): Finding[] {
  const { other } = given;
  if (isAuthentic(given)) {
    const moved = isShort(given) && isBoundaryMoved(given.body.value, given.timestamp.value);
    if (moved) return [certain(boundaryMoved)];
    return [...(other ? [certain(other.fault)] : []), ...findAge(given.timestamp.value, given)];
  }
  const found = search(given, work)?.map(certain) ?? [];
  const age = findAge(given.timestamp.value, given).filter(({ cause }) => found.every((each) => each.cause !== cause));
  if (found.length > 0 && given.secrets.length > 0) {
    return [...(other?.names ? [certain(other.fault)] : []), ...found, ...age];
  }
  const [first, ...others] = inspectParts(given);
  return [...(first ? [first] : []), ...found, ...others, ...age];
}

function isAuthentic({ body, signature, timestamp, secrets }: ReadOptions): boolean {
  if (body.faults.length > 0 || timestamp.faults.length > 0 || typeof signature !== 'string') return false;
  const texts = secrets.filter((secret) => typeof secret === 'string');
  return verifySignature(body.value, signature, timestamp.value, texts);
}

/** Only a timestamp that has lost digits to the body is canonical and yet cut at the wrong place. */
const isShort = ({ timestamp }: ReadOptions) => isTimestamp(timestamp.value) && timestamp.value.length < 10;
