import { verifySignature } from 'event-webhook-receiver/verify';
import { findAge } from './age.js';
import { boundaryMoved, isBoundaryMoved } from './boundary.js';
import { certain, type Finding } from './finding.js';
import { asArrived } from './in-transit.js';
import { inspectParts } from './inspect.js';
import { type ReadOptions, readOptions } from './options.js';

/** Findings that need no search: a missing header, the age, a moved boundary. Undefined for other causes. */
export function explainAtOnce(given: ReadOptions): Finding[] | undefined {
  const { body, timestamp, signature, other, bodyUnread } = given;
  if (isAuthentic(given)) {
    const isMoved = timestamp.value.length < 10 && isBoundaryMoved(body.value, timestamp.value);
    if (isMoved) return [certain(boundaryMoved)];
    return [...(other ? [certain(other.fault)] : []), ...findAge(timestamp.value, given)];
  }
  const isEmpty = body.value.length === 0 && body.faults.length === 0;
  if (signature !== undefined && !isEmpty && !bodyUnread) return undefined;
  // Without a signature, skip the body, which may take a while.
  return [...inspectParts({ ...given, bodyUnread: bodyUnread || !isEmpty }), ...findAge(timestamp.value, given)];
}

/** {@link explainAtOnce} for unread options. */
export function explainKnown(options: unknown): Finding[] | undefined {
  const given = readOptions(options);
  return explainAtOnce(given)?.map((finding) => asArrived(finding, given.readBy));
}

function isAuthentic({ body, signature, timestamp, secrets }: ReadOptions): boolean {
  if (body.faults.length > 0 || timestamp.faults.length > 0 || typeof signature !== 'string') return false;
  const texts = secrets.filter((secret) => typeof secret === 'string');
  return verifySignature(body.value, signature, timestamp.value, texts);
}
