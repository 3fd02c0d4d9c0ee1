import { fromBase64 } from './bytes.js';
import type { Fault } from './fault.js';
import { compact, type Json, kindOf, readJson, spellings, writeJson } from './json-text.js';

const faults = {
  wrapped: {
    cause: 'body-wrapped',
    what: 'The body is wrapped in something else: what was signed is one of the values in it.',
    fix: 'Pass the body of the request itself, not an object or an array that you put it into.',
  },
  unwrapped: {
    cause: 'body-unwrapped',
    what: 'The body is a single event; what was signed is an array with that event in it.',
    fix: 'Verify the whole body before you take events out of it. A delivery is always a JSON array.',
  },
  lambda: {
    cause: 'body-lambda-event',
    what: "The body is the whole event of a Lambda or of a queue, with the request's body as a text in it.",
    fix: "Pass the text in it: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'). lambdaHandler does so by itself.",
  },
  form: {
    cause: 'body-form-parsed',
    what: 'The body was parsed as a form: it has become the key of an object.',
    fix: 'Mount no express.urlencoded before the route, and send Content-Type application/json.',
  },
  leading: {
    cause: 'body-whitespace-added',
    what: 'There is white space around the body, such as a line break at its end, that was not sent.',
    fix: 'Pass the bytes as they came. Editors, echo and heredocs add a line break to a file: save with curl --output, send with --data-binary.',
  },
  trimmed: {
    cause: 'body-trimmed',
    what: 'White space around the body, such as the line break at its end, was lost.',
    fix: 'Pass the bytes as they came: no trim(), no curl --data (it drops line breaks; use --data-binary), no shell $(cat file).',
  },
  repeated: {
    cause: 'body-repeated',
    what: 'The body is there twice, one right after the other.',
    fix: 'Collect the chunks of a request once: two data listeners that push to one array, or a retry that appends, double it.',
  },
  padded: {
    cause: 'body-padded',
    what: 'There are zero bytes at the end of the body: it was copied into a buffer that is larger.',
    fix: 'Cut the buffer to the bytes that were read: buffer.subarray(0, length).',
  },
} satisfies Record<string, Fault>;

/** What tells of white space at the end of a body, which is tried together with the timestamps. */
export const whitespaceAdded: Fault = faults.leading;
export const whitespaceLost: Fault = faults.trimmed;

const same = (json: Json) => writeJson(json, compact, spellings.same);
const LARGE = 1024 * 1024;
const MOST_MEMBERS = 16;

/** The texts that a body may have been before something was put around it, or taken off. */
export function* reshaped(text: string): Generator<readonly [body: string | Uint8Array, fault: Fault]> {
  const half = text.slice(0, text.length / 2);
  if (text.length > 2 && half + half === text) yield [half, faults.repeated];
  if (text.endsWith('\0')) yield [text.replace(/\0+$/, ''), faults.padded];
  if (/^[ \t\r\n]/.test(text)) yield [text.replace(/^[ \t\r\n]+/, ''), faults.leading];
  const kind = kindOf(text);
  if (text.length > LARGE || (kind !== 'object' && kind !== 'array')) return;
  const tree = readJson(text);
  if (typeof tree === 'string') return;
  if ('items' in tree) {
    const [first] = tree.items;
    if (tree.items.length === 1 && first !== undefined && typeof first !== 'string')
      yield [inside(text), faults.wrapped];
    return;
  }
  yield [`[${text}]`, faults.unwrapped];
  const encoded = tree.members.some(([key, value]) => key === '"isBase64Encoded"' && value === 'true');
  for (const [key, value] of tree.members.slice(0, MOST_MEMBERS)) {
    if (typeof value !== 'string') {
      yield [same(value), faults.wrapped];
      // What wraps it has parsed it before.
      yield [writeJson(value, compact, spellings.go), faults.wrapped];
    }
    if (typeof value === 'string' && value.startsWith('"')) yield* asText(value, encoded);
    if (key.startsWith('"[')) yield [fromForm(key, value), faults.form];
  }
}

const inside = (text: string) => text.trim().slice(1, -1).trim();

function* asText(value: string, encoded: boolean): Generator<readonly [body: string | Uint8Array, fault: Fault]> {
  const body = JSON.parse(value) as string;
  if (/^\s*[[{]/.test(body)) yield [body, faults.lambda];
  const decoded = encoded || body.length > 64 ? fromBase64(body) : undefined;
  if (decoded) yield [decoded, faults.lambda];
}

function fromForm(key: string, value: Json): string {
  const text = typeof value === 'string' && value.startsWith('"') ? (JSON.parse(value) as string) : '';
  return `${JSON.parse(key)}${text === '' ? '' : `=${text}`}`;
}
