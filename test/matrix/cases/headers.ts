import type { HeaderNames } from '../../../src/index.js';
import { type Delivery, type HeaderList, headersOf } from './delivery.js';

type Header = HeaderList[0];

/** Headers that are refused with 403 and ERR_WEBHOOK_HEADER although the delivery itself is genuine. */
export function refusedHeaders(delivery: Delivery): readonly (readonly [title: string, headers: HeaderList])[] {
  const [type, signature, timestamp] = headersOf(delivery) as [Header, Header, Header];
  const [signatureName, signed] = signature;
  const [timestampName, time] = timestamp;
  return [
    ['no signature', [type, timestamp]],
    ['no timestamp', [type, signature]],
    ['neither of the two', [type]],
    ['an empty signature', [type, [signatureName, ''], timestamp]],
    ['an empty timestamp', [type, signature, [timestampName, '']]],
    ['the signature twice, the same', [type, signature, signature, timestamp]],
    ['the timestamp twice, the same', [type, signature, timestamp, timestamp]],
    ['the signature twice, the first genuine', [type, signature, [signatureName, '0'.repeat(64)], timestamp]],
    ['the signature twice, the last genuine', [type, [signatureName, '0'.repeat(64)], signature, timestamp]],
    ['the timestamp twice, the first genuine', [type, signature, timestamp, [timestampName, '1']]],
    ['the timestamp twice, the last genuine', [type, signature, [timestampName, '1'], timestamp]],
    ['the signature twice, once in another case', [type, signature, [signatureName.toUpperCase(), signed], timestamp]],
    ['the signature twice, once empty', [type, signature, [signatureName, ''], timestamp]],
    ['two signatures joined with a comma', [type, [signatureName, `${signed},${signed}`], timestamp]],
    ['two timestamps joined with a comma', [type, signature, [timestampName, `${time}, ${time}`]]],
    ['the names of another sender', [type, ['X-MultiBaas-Signature', signed], ['X-MultiBaas-Timestamp', time]]],
  ];
}

/** Whether a name is there more than once, in whatever case. */
export function hasRepeated(headers: HeaderList): boolean {
  return new Set(headers.map(([name]) => name.toLowerCase())).size < headers.length;
}

/** Header names in odd case, which are the same names. */
export function oddlyCased(delivery: Delivery): HeaderList {
  return headersOf(delivery, { signature: 'x-SERVICE-signature', timestamp: 'X-service-TIMESTAMP' });
}

/** Names for the option `headers`. */
export const OTHER_NAMES: HeaderNames = { signature: 'X-Other-Signature', timestamp: 'X-OTHER-timestamp' };

/** What `toleranceSeconds: 300` makes of a genuine delivery whose timestamp is this far from the receiver's clock. */
export const WINDOW = [
  ['refuses', 'older than', -301, 403],
  ['takes', 'as old as', -300, 200],
  ['takes', 'as new as', 300, 200],
  ['refuses', 'newer than', 301, 403],
] as const;

/** The same for a receiver whose clock runs on while the delivery is on its way. */
export const ROUGH_WINDOW = [
  ['refuses', 'older than', -360, 403],
  ['takes', 'nearly as old as', -240, 200],
  ['takes', 'nearly as new as', 240, 200],
  ['refuses', 'newer than', 360, 403],
] as const;

/** Values of Content-Encoding that are answered with 415, and those that say that nothing was encoded. */
export const REFUSED_ENCODINGS = ['gzip', 'GZIP', 'br', 'identity, gzip', 'nonsense'] as const;
export const TAKEN_ENCODINGS = ['identity', 'Identity', ''] as const;

/** Methods that are answered with 405 and Allow. */
export const REFUSED_METHODS = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'] as const;
