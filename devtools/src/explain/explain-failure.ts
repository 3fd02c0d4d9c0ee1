import { verifySignature } from 'event-webhook-receiver/verify';
import { findAge } from './age.js';
import { asArrived } from './body-faults.js';
import { fromCodes, utf8 } from './bytes.js';
import { certain, type Finding, fault } from './finding.js';
import { inspectHeaders, inspectParts } from './inspect.js';
import { type ExplainFailureOptions, type ReadOptions, readOptions } from './options.js';
import { createWork, search, type Work } from './search.js';

/**
 * Explains why a delivery does not verify (spec section 5.2). It tries about eighty common mistakes, one at a time: a
 * body that was parsed and serialized again, a secret with a line break, a timestamp in milliseconds, a signature in
 * base64. Synchronous on every runtime; never throws. Time and memory are linear in the delivery, and it hashes at most
 * 64 MiB: about a second for a body of up to 10 MiB.
 *
 * For tests, scripts and tools. Do not call it while you handle requests, where every forgery would cost those seconds,
 * and never send its findings to a sender. Findings contain no secret, expected signature or part of the body.
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
 * @returns Findings, the likeliest first; fix consecutive `certain` findings together. `[]` when the delivery is
 * authentic and fresh.
 */
export function explainFailure(options: ExplainFailureOptions): Finding[] {
  return explainWithin(options);
}

/** {@link explainFailure} for any value, within an amount of work. */
export function explainWithin(options: unknown, work = createWork()): Finding[] {
  const given = readOptions(options);
  return (known(given) ?? searched(given, work)).map((finding) => asArrived(finding, given.readBy));
}

/**
 * What a verifier knows without a search: an authentic delivery, its age, a moved boundary, a header that is missing or
 * malformed, no secret, no body. Undefined for a mismatch.
 */
export function explainKnown(options: unknown): Finding[] | undefined {
  const given = readOptions(options);
  const findings = known(given) ?? malformed(given);
  return findings?.map((finding) => asArrived(finding, given.readBy));
}

function known(given: ReadOptions): Finding[] | undefined {
  const { body, timestamp, signature, secrets, mistyped, other, bodyUnread } = given;
  if (mistyped) return [certain(mistyped)];
  const age = findAge(timestamp, given);
  if (bodyUnread) return [...inspectHeaders(given), ...age];
  if (isBoundaryMoved(given)) return [certain(boundaryMoved)];
  if (verifySignature(body, signature, timestamp, secrets)) return [...(other ? [certain(other.fault)] : []), ...age];
  // Reading the body may take a while, and a missing part explains the failure.
  if ([signature, timestamp, secrets].some(({ length }) => length === 0)) return [...inspectHeaders(given), ...age];
  return body.length === 0 ? [...inspectParts(given), ...age] : undefined;
}

/** The form of the headers explains the failure, whatever the body. */
function malformed(given: ReadOptions): Finding[] | undefined {
  const findings = inspectHeaders(given);
  const isMalformed = findings.some(({ cause }) => /^(?:signature|timestamp)-/.test(cause));
  return isMalformed ? [...findings, ...findAge(given.timestamp, given)] : undefined;
}

function searched(given: ReadOptions, work: Work): Finding[] {
  const { other, timestamp } = given;
  const found = search(given, work).map(certain);
  const age = findAge(timestamp, given).filter(({ cause }) => found.every((each) => each.cause !== cause));
  if (found.length > 0) return [...(other?.names ? [certain(other.fault)] : []), ...found, ...age];
  return [...inspectParts(given), ...age];
}

const boundaryMoved = fault(
  'body-timestamp-seam',
  'The boundary between body and timestamp moved: bytes of one are in the other. The signature covers both together, so it still matches.',
  'Take the body and the timestamp header from the request unchanged, without joining and splitting them. If the request arrived like this, refuse it: somebody moved the boundary to change an authentic delivery. The receivers of event-webhook-receiver refuse it.',
);

/** Whether bytes moved between the body and the timestamp: the signed text ends with a bracket and a Unix time. */
function isBoundaryMoved({ body, timestamp, signature, secrets }: ReadOptions): boolean {
  const end = `${fromCodes(body.subarray(-32))}${timestamp.slice(0, 64)}`;
  const [, time] = /\]\s*([0-9]{10}|[0-9]{13})$/.exec(end) ?? [];
  if (time === undefined || time === timestamp) return false;
  const stamp = utf8(timestamp);
  const all = new Uint8Array(body.length + stamp.length);
  all.set(body);
  all.set(stamp, body.length);
  return verifySignature(all.subarray(0, -time.length), signature, time, secrets);
}
