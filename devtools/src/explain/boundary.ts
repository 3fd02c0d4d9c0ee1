import { verifySignature } from 'event-webhook-receiver/verify';
import { fromCodes, utf8 } from './bytes.js';
import { fault } from './finding.js';
import type { ReadOptions } from './options.js';

export const boundaryMoved = fault(
  'body-timestamp-seam',
  'The boundary between body and timestamp moved: bytes of one are in the other. The signature covers both together, so it still matches.',
  'Take the body and the timestamp header from the request unchanged, without joining and splitting them. If the request arrived like this, refuse it: somebody moved the boundary to change an authentic delivery. The receivers of event-webhook-receiver refuse it.',
);

/** Whether bytes moved between the body and the timestamp: the signed text ends with a bracket and a Unix time. */
export function isBoundaryMoved({ body, timestamp, signature, secrets }: ReadOptions): boolean {
  const end = `${fromCodes(body.subarray(-32))}${timestamp.slice(0, 64)}`;
  const [, time] = /\]\s*([0-9]{10}|[0-9]{13})$/.exec(end) ?? [];
  if (time === undefined || time === timestamp) return false;
  const stamp = utf8(timestamp);
  const all = new Uint8Array(body.length + stamp.length);
  all.set(body);
  all.set(stamp, body.length);
  return verifySignature(all.subarray(0, -time.length), signature, time, secrets);
}
