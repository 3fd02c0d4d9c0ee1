import { fromCodes, join, textOf, utf8 } from './bytes.js';
import type { Fault } from './finding.js';
import { kindOf } from './json-scan.js';
import { isTimestamp } from './text.js';

export const boundaryMoved: Fault = {
  cause: 'body-timestamp-seam',
  what: 'Body and timestamp were cut apart at another place than they were put together: bytes of one are in the other. The signature is that of both together, so it still fits.',
  fix: 'Take the body and the timestamp header from the request as they came, without joining and splitting them. If it came so, refuse it: somebody moved the seam to change a genuine delivery. The receivers of this package do.',
};

/** How many digits a Unix time has in seconds and in milliseconds. */
const DIGITS = [10, 13];

/** Whether bytes of the body have gone into the timestamp, or the other way round. */
export function isBoundaryMoved(body: Uint8Array, timestamp: string): boolean {
  if (textOf(body) === undefined || kindOf(body) !== undefined) return false;
  const whole = join(body, utf8(timestamp));
  return DIGITS.some((digits) => {
    const time = fromCodes(whole.subarray(-digits));
    return time !== timestamp && isTimestamp(time) && kindOf(whole.subarray(0, -digits)) === 'array';
  });
}
