import { rewritten } from './body-style.js';
import type { BodyView, Step, Undone } from './body-view.js';
import { fromBase64, join, sameBytes, textOf, utf8 } from './bytes.js';
import type { Fault } from './finding.js';
import { compact } from './json-layout.js';
import { endsOf, type Member, membersOf } from './json-order.js';
import { afterSpace, isOpening, isSpace, LIST, QUOTE } from './json-scan.js';

const faults = {
  wrapped: {
    cause: 'body-wrapped',
    what: 'The body is wrapped in another value: one of the values in it was signed.',
    fix: 'Pass the body of the request itself, not an object or array that contains it.',
  },
  unwrapped: {
    cause: 'body-unwrapped',
    what: 'The body is a single event; an array with that event was signed.',
    fix: 'Verify the whole body before you extract events from it. A delivery is always a JSON array.',
  },
  lambda: {
    cause: 'body-lambda-event',
    what: "The body is a whole Lambda or queue event, which contains the request's body as text.",
    fix: "Pass the body in it: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'). lambdaHandler does this for you.",
  },
  form: {
    cause: 'body-form-parsed',
    what: 'The body was parsed as a form: it became the key of an object.',
    fix: 'Do not mount express.urlencoded before the route, and send Content-Type application/json.',
  },
  leading: {
    cause: 'body-whitespace-added',
    what: 'The body has leading or trailing white space, such as a final line break, that was not sent.',
    fix: 'Pass the bytes as received. Editors, echo and heredocs add a line break to a file: save with curl --output, send with --data-binary.',
  },
  trimmed: {
    cause: 'body-trimmed',
    what: 'The signed text has white space, such as a line break, behind the body: the end of the body was lost, or the signer separates body and timestamp with it.',
    fix: 'Pass the bytes as received: no trim(), no curl --data (it drops line breaks; use --data-binary), no shell $(cat file). If you sign it yourself, put nothing in between: hmac.update(rawBody).update(timestamp).',
  },
  repeated: {
    cause: 'body-repeated',
    what: 'The body is repeated: it occurs twice in a row.',
    fix: 'Collect the chunks of a request once: two data listeners that push to one array, or a retry that appends, double the body.',
  },
  padded: {
    cause: 'body-padded',
    what: 'The body ends with zero bytes: it was copied into a larger buffer.',
    fix: 'Cut the buffer to the bytes that were read: buffer.subarray(0, length).',
  },
} satisfies Record<string, Fault>;

/** Faults of white space at the end of a body, tried together with the timestamps. */
export const whitespaceAdded: Fault = faults.leading;
export const whitespaceLost: Fault = faults.trimmed;

function* doubled({ bytes }: BodyView): Generator<Undone> {
  const half = bytes.subarray(0, bytes.length / 2);
  if (bytes.length > 2 && sameBytes(half, bytes.subarray(half.length))) yield [half, faults.repeated];
}

function* padded({ bytes }: BodyView): Generator<Undone> {
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  if (end < bytes.length) yield [bytes.subarray(0, end), faults.padded];
}

function* indentedBy({ bytes }: BodyView): Generator<Undone> {
  if (isSpace(bytes[0])) yield [bytes.subarray(afterSpace(bytes, 0)), faults.leading];
}

function* inList({ bytes, kind }: BodyView): Generator<Undone> {
  if (kind !== 'array') return;
  const [first, second] = membersOf(bytes, afterSpace(bytes, 0), endsOf(bytes), 2);
  if (first && !second && isOpening(bytes[first.value])) yield [bytes.subarray(first.value, first.end), faults.wrapped];
}

function* outOfList({ bytes, kind }: BodyView): Generator<Undone> {
  if (kind === 'object') yield [join(utf8('['), bytes, utf8(']')), faults.unwrapped];
}

const MOST_MEMBERS = 16;

/** Keys and values, as spelled in the body. */
function* inObject({ bytes, kind }: BodyView): Generator<Undone> {
  if (kind !== 'object') return;
  const written = ({ start, keyEnd, value, end }: Member) =>
    [bytes.subarray(start, keyEnd), bytes.subarray(value, end)] as const;
  const members = membersOf(bytes, afterSpace(bytes, 0), endsOf(bytes), MOST_MEMBERS).map(written);
  const isEncoded = members.some(([key, value]) => textOf(key) === '"isBase64Encoded"' && textOf(value) === 'true');
  for (const [key, value] of members) {
    if (isOpening(value[0])) {
      yield [rewritten(value, compact, 'same'), faults.wrapped];
      // The wrapper parsed the body before.
      yield [rewritten(value, compact, 'go'), faults.wrapped];
    }
    if (value[0] === QUOTE) yield* asText(stringOf(value), isEncoded);
    if (key[1] === LIST) yield [fromForm(stringOf(key), value), faults.form];
  }
}

const stringOf = (string: Uint8Array) => JSON.parse(textOf(string) ?? '""') as string;

function* asText(body: string, isEncoded: boolean): Generator<Undone> {
  if (/^\s*[[{]/.test(body)) yield [body, faults.lambda];
  const decoded = isEncoded || body.length > 64 ? fromBase64(body) : undefined;
  if (decoded) yield [decoded, faults.lambda];
}

function fromForm(key: string, value: Uint8Array): string {
  const text = value[0] === QUOTE ? stringOf(value) : '';
  return text === '' ? key : `${key}=${text}`;
}

/** Steps that remove a wrapper from the body, or restore one. */
export const shapeSteps: readonly Step[] = [doubled, padded, indentedBy, inList, outOfList, inObject];
