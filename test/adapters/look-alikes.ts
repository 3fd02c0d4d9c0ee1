import { createReceiver, type VerifierOptions } from '../../src/index.js';
import { type Delivery, genuine, headersOf, now, SECRET } from '../matrix/deliveries.js';

// Wrappers and test tools pass objects that only look like requests. Whatever their properties are, an adapter answers with
// the right status or reports an error with a code, and nothing goes unhandled.

export type Fields = Record<string, unknown>;
/** A status, or the code of the error that went to the host. */
export type Answer = number | string;

export const failing = () => {
  throw new Error('a getter of the host');
};
export const getter = (name: string, get: () => unknown) => (object: object) =>
  Object.defineProperty(object, name, { get, configurable: true });
/** Fields of which one throws when it is read. */
export const throwing = (name: string): Fields =>
  Object.defineProperty({}, name, { get: failing, enumerable: true, configurable: true });
export const setting = (name: string, value: unknown) => getter(name, () => value);

export const lower = (delivery: Delivery): Fields =>
  Object.fromEntries(headersOf(delivery).map(([name, value]) => [name.toLowerCase(), value]));
const [SIGNATURE = '', STAMP = ''] = Object.keys(lower(genuine())).filter((name) => name.startsWith('x-'));
export const CHANGED_HEADERS: readonly [what: string, change: (headers: Fields) => unknown, expected: Answer][] = [
  [
    'a length and a timestamp that are numbers',
    (all) => ({ ...all, 'content-length': 9, [STAMP]: Number(all[STAMP]) }),
    200,
  ],
  ['values in lists', (all) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])), 200],
  ['other headers that are nothing', (all) => ({ ...all, a: undefined, b: null, 'content-encoding': undefined }), 200],
  ['a signature in a list of two', (all) => ({ ...all, [SIGNATURE]: [all[SIGNATURE], all[SIGNATURE]] }), 403],
  ['a length over the limit that is a number', (all) => ({ ...all, 'content-length': 2e9 }), 413],
  ['a content-encoding in a list', (all) => ({ ...all, 'content-encoding': ['gzip'] }), 415],
  ...[undefined, 7, {}, failing].map((value): [string, (all: Fields) => unknown, Answer] => [
    `a signature that is ${JSON.stringify(value)}`,
    (all) => ({ ...all, [SIGNATURE]: value }),
    403,
  ]),
];

export const options = (codes: string[]): VerifierOptions => ({
  secret: ({ url }) => (url === 'none' ? undefined : SECRET),
  now,
  receiveTimeoutMs: 20,
  onError: ({ code }) => codes.push(code),
});
export const receiving = (codes: string[]) => createReceiver({ ...options(codes), store: false, onEvent: () => {} });

export const GONE = 'unavailable';
export const CHANGED: readonly [what: string, change: (request: object) => unknown, expected: Answer][] = [
  ['headers that are null', setting('headers', null), 403],
  ['headers that throw', getter('headers', failing), 500],
  ['a header that throws', setting('headers', getter('content-encoding', failing)({})), 500],
  ['a method in lower case', setting('method', 'post'), 200],
  ['a method that is a symbol', setting('method', Symbol('POST')), 405],
  ['a url that is an object', setting('url', new URL('http://localhost/webhooks')), 200],
  ['no socket', setting('socket', undefined), 200],
  ['a body that throws', getter('body', failing), 500],
  ['a rawBody that is an object', setting('rawBody', {}), 200],
  ['a rawBody that throws', getter('rawBody', failing), 500],
  ['no readableEncoding', setting('readableEncoding', undefined), GONE],
  ['an on that throws', setting('on', failing), 500],
  ['no resume', setting('resume', undefined), 500],
  [
    'a resume that does nothing, and no off',
    (each) => setting('off', undefined)(setting('resume', () => {})(each)),
    503,
  ],
];
