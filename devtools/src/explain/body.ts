import { isReadable } from '../readable-json.js';
import { attempt, fromBase64, fromCodes, fromHex, replaced, sameBytes, textOf, utf8 } from './bytes.js';
import { type Candidate, type Fault, fault } from './finding.js';
import type { Work } from './work-limit.js';

const raw =
  "Verify the bytes as received: in Express, mount the route before app.use(express.json()), or give it express.raw({ type: 'application/json' }) and pass req.body; in Fastify, Nest, Lambda and Fetch pass the raw body (await request.arrayBuffer()). expressHandler and the other adapters do this for you.";
const bytesFirst =
  'Read the body as bytes (a Buffer or Uint8Array) and pass those to the library; decode it, if at all, after it is verified.';

const faults = {
  reserialized: fault(
    'body-reserialized',
    'The body was parsed and serialized again. The service writes &, < and > as \\u0026, \\u003c and \\u003e; JSON.stringify does not, and changes other spellings too, as every serializer does.',
    raw,
  ),
  pretty: fault(
    'body-pretty-printed',
    'The body was pretty-printed; compact JSON was signed.',
    `${raw} If it was saved for a test, save the bytes: no formatter, no JSON.stringify(…, null, 2), no jq.`,
  ),
  bomAdded: fault(
    'body-bom-added',
    'The body starts with a byte order mark that was not sent.',
    `${bytesFirst} Where it was saved to a file, save it as UTF-8 without BOM.`,
  ),
  bomLost: fault(
    'body-bom-lost',
    'The byte order mark at the start of the body was lost: decoding to text drops it.',
    `${bytesFirst} request.text() and TextDecoder drop it, request.arrayBuffer() does not.`,
  ),
  latin1: fault(
    'body-latin1',
    'The body was decoded or encoded as Latin-1 (binary, Windows-1252); it is UTF-8.',
    `${bytesFirst} Look for toString('latin1'), toString('binary'), setEncoding or a file that was read in another encoding.`,
  ),
  utf16: fault(
    'body-utf16',
    'The body is in UTF-16; it was sent in UTF-8.',
    `${bytesFirst} A file that PowerShell's > wrote is in UTF-16: use Set-Content -AsByteStream, or curl --output.`,
  ),
  base64: fault(
    'body-base64',
    'The body is still in base64.',
    "Decode it first: in AWS Lambda Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'), which lambdaHandler does for you.",
  ),
  hex: fault('body-hex', 'The body is still in hex.', "Decode it first: Buffer.from(text, 'hex')."),
  url: fault(
    'body-url-encoded',
    'The body is URL-encoded like a form.',
    'It was read or sent as a form: send it with --data-binary in curl and Content-Type application/json, and do not mount express.urlencoded before the route.',
  ),
  double: fault(
    'body-double-encoded',
    'The body is a JSON string that contains the body: it was serialized twice.',
    'Remove JSON.stringify around a value that is already text (a body in fetch, a queue message, a log line).',
  ),
  buffer: fault(
    'body-buffer-serialized',
    'The body is a Buffer that was written as text: as JSON, or as comma-separated numbers.',
    'Pass the Buffer or Uint8Array itself, not JSON.stringify(buffer) or String(bytes).',
  ),
  lines: fault(
    'body-line-endings',
    'Line breaks of the body were converted between LF and CRLF.',
    `${bytesFirst} Mark fixtures as binary for git (*.json -text in .gitattributes) and transfer files in binary mode.`,
  ),
  wrapped: fault(
    'body-wrapped',
    'The body is wrapped in another value: one of the values in it was signed.',
    'Pass the body of the request itself, not an object or array that contains it.',
  ),
  unwrapped: fault(
    'body-unwrapped',
    'The body is a single event; an array with that event was signed.',
    'Verify the whole body before you extract events from it. A delivery is always a JSON array.',
  ),
  lambda: fault(
    'body-lambda-event',
    "The body is a whole Lambda or queue event, which contains the request's body as text.",
    "Pass the body in it: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'). lambdaHandler does this for you.",
  ),
  form: fault(
    'body-form-parsed',
    'The body was parsed as a form: it became the key of an object.',
    'Do not mount express.urlencoded before the route, and send Content-Type application/json.',
  ),
  leading: fault(
    'body-whitespace-added',
    'The body has leading or trailing white space, such as a final line break, that was not sent.',
    'Pass the bytes as received. Editors, echo and heredocs add a line break to a file: save with curl --output, send with --data-binary.',
  ),
  trimmed: fault(
    'body-trimmed',
    'The signed text has white space, such as a line break, behind the body: the end of the body was lost, or the signer separates body and timestamp with it.',
    'Pass the bytes as received: no trim(), no curl --data (it drops line breaks; use --data-binary), no shell $(cat file). If you sign it yourself, put nothing in between: hmac.update(rawBody).update(timestamp).',
  ),
  repeated: fault(
    'body-repeated',
    'The body is repeated: it occurs twice in a row.',
    'Collect the chunks of a request once: two data listeners that push to one array, or a retry that appends, double the body.',
  ),
  padded: fault(
    'body-padded',
    'The body ends with zero bytes: it was copied into a larger buffer.',
    'Cut the buffer to the bytes that were read: buffer.subarray(0, length).',
  ),
};

/** Faults of trailing white space, tried together with the timestamps. */
export const whitespaceAdded: Fault = faults.leading;
export const whitespaceLost: Fault = faults.trimmed;

/** Maximum commas and opening brackets in JSON that is parsed: a delivery of 10 MiB has fewer. */
const MOST_MARKS = 500_000;

/** The value of a JSON text; undefined if it is invalid or would take too much memory. */
export const parsedJson = (bytes: Uint8Array, text: string): unknown =>
  isReadable(bytes, MOST_MARKS) ? attempt(() => JSON.parse(text) as unknown) : undefined;

/** JSON as Go's encoding/json writes it, like the service. */
export const goJson = (value: unknown): string =>
  replaced(
    JSON.stringify(value),
    /[&<>\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

interface BodyView {
  readonly bytes: Uint8Array;
  /** Empty if the bytes are not UTF-8. */
  readonly text: string;
  readonly json: unknown;
}

type Undone = readonly [body: string | Uint8Array | undefined, fault: Fault];
type Step = (view: BodyView) => Iterable<Undone>;

const restyled =
  (write: (value: unknown) => string): Step =>
  ({ text, json }) =>
    json === undefined ? [] : [[write(json), /[[{,]\r?\n/.test(text) ? faults.pretty : faults.reserialized]];

const ofText =
  (fault: Fault, undo: (text: string) => string | Uint8Array | undefined): Step =>
  ({ text }) =>
    text === '' ? [] : [[undo(text), fault]];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const MOST_MEMBERS = 16;

function* inside({ json, text }: BodyView): Generator<Undone> {
  if (!isObject(json)) return;
  if (Array.isArray(json) && json.length !== 1) return;
  if (!Array.isArray(json)) yield [`[${text}]`, faults.unwrapped];
  for (const [key, value] of Object.entries(json).slice(0, MOST_MEMBERS)) {
    if (isObject(value)) yield* [goJson(value), JSON.stringify(value)].map((body) => [body, faults.wrapped] as const);
    if (typeof value === 'string') {
      yield [/^\s*[[{]/.test(value) ? value : fromBase64(value), faults.lambda];
    }
    if (key.startsWith('[')) yield [value === '' || value === null ? key : `${key}=${String(value)}`, faults.form];
  }
}

/** Characters of Windows-1252 that differ from Latin-1, with their bytes from 0x80. */
const CP1252 = new Map(
  Array.from('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ', (character, at) => [
    character.charCodeAt(0),
    0x80 + at,
  ]),
);

function* latin({ bytes, text }: BodyView): Generator<Undone> {
  if (text === '') return yield [fromCodes(bytes), faults.latin1];
  const single = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = code < 0x100 ? code : CP1252.get(code);
    if (byte === undefined) return;
    single[at] = byte;
  }
  yield [single, faults.latin1];
}

function utf16({ bytes }: BodyView): Undone[] {
  const isBig = bytes[0] === 0 || bytes[0] === 0xfe;
  if (!isBig && bytes[1] !== 0 && bytes[0] !== 0xff) return [];
  return [[new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes), faults.utf16]];
}

function formDecoded(text: string): string | undefined {
  if (/^[[{]/.test(text) || !text.includes('%')) return undefined;
  const value = text.replace(/^[\w.-]{1,64}=/, '').replace(/=$/, '');
  return decodeURIComponent(replaced(value, /\+/g, () => ' '));
}

/** The bytes of a Buffer that was serialized as JSON or as a list of numbers. */
function listed(text: string): Uint8Array | undefined {
  const list = /^(?:\{"type":"Buffer","data":)?\[?([0-9,\s]+)\]?\}?$/.exec(text)?.[1];
  if (!list?.includes(',')) return undefined;
  const bytes = new Uint8Array(list.length);
  let count = 0;
  for (let at = 0; at <= list.length; count++) {
    const comma = list.indexOf(',', at);
    const end = comma < 0 ? list.length : comma;
    bytes[count] = Number(list.slice(at, end));
    at = end + 1;
  }
  return bytes.subarray(0, count);
}

function* cut({ bytes }: BodyView): Generator<Undone> {
  const half = bytes.subarray(0, bytes.length / 2);
  if (bytes.length > 2 && sameBytes(half, bytes.subarray(half.length))) yield [half, faults.repeated];
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  yield [bytes.subarray(0, end), faults.padded];
}

/** Steps that undo one fault each, the most frequent first. A step that throws does not apply. */
export const bodySteps: Readonly<Record<string, Step>> = {
  leading: ofText(faults.leading, (text) => text.replace(/^[ \t\r\n]+/, '')),
  bomAdded: ofText(faults.bomAdded, (text) => (text.startsWith('\uFEFF') ? text.slice(1) : undefined)),
  reserialized: restyled(goJson),
  restyled: restyled(JSON.stringify),
  cut,
  inside,
  double: ofText(faults.double, (text) => (text.startsWith('"') ? (JSON.parse(text) as string) : undefined)),
  base64: ofText(faults.base64, (text) => fromBase64(replaced(text, /\s/g, () => ''))),
  latin,
  utf16,
  form: ofText(faults.url, formDecoded),
  buffer: ofText(faults.buffer, listed),
  unix: ofText(faults.lines, (text) => replaced(text, /\r\n/g, () => '\n')),
  windows: ofText(faults.lines, (text) => (text.includes('\r') ? undefined : replaced(text, /\n/g, () => '\r\n'))),
  hex: ofText(faults.hex, fromHex),
  bomLost: ofText(faults.bomLost, (text) => (text.startsWith('\uFEFF') ? undefined : `\uFEFF${text}`)),
};

/** A body as text and as a value, read once for all steps. */
export function viewOf(bytes: Uint8Array): BodyView {
  const text = textOf(bytes) ?? '';
  return { bytes, text, json: parsedJson(bytes, text) };
}

/** Possible original bodies, the most frequent faults first. */
export function* readBody(bytes: Uint8Array, work: Work): Generator<Candidate<Uint8Array>> {
  const view = viewOf(bytes);
  for (const step of Object.values(bodySteps)) {
    if (!work.spend(bytes.length >> 3)) return;
    // A step may throw before its first result, and between two.
    for (const [body, found] of attempt(() => [...step(view)]) ?? []) {
      if (body === undefined || body.length === 0) continue;
      const value = typeof body === 'string' ? utf8(body) : body;
      if (!sameBytes(value, bytes)) yield { value, faults: [found] };
    }
  }
}
