import { fromCodes, join, textOf, utf8 } from './bytes.js';
import type { Fault } from './finding.js';
import { kindOf } from './json-scan.js';
import { isTimestamp } from './text.js';

export const boundaryMoved: Fault = {
  cause: 'body-timestamp-seam',
  what: 'The boundary between body and timestamp moved: bytes of one are in the other. The signature covers both together, so it still matches.',
  fix: 'Take the body and the timestamp header from the request unchanged, without joining and splitting them. If the request arrived like this, refuse it: somebody moved the boundary to change an authentic delivery. The receivers of event-webhook-receiver refuse it.',
};

/** Number of digits of a Unix time, in seconds and in milliseconds. */
const DIGITS = [10, 13];

/** Whether bytes moved from the body into the timestamp, or the other way round. */
export function isBoundaryMoved(body: Uint8Array, timestamp: string): boolean {
  if (textOf(body) === undefined || kindOf(body) !== undefined) return false;
  const whole = join(body, utf8(timestamp));
  return DIGITS.some((digits) => {
    const time = fromCodes(whole.subarray(-digits));
    return time !== timestamp && isTimestamp(time) && kindOf(whole.subarray(0, -digits)) === 'array';
  });
}
