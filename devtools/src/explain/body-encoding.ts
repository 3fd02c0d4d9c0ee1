import type { BodyView, Step, Undone } from './body-view.js';
import { ByteSink } from './byte-sink.js';
import { fromBase64, fromCodes, fromHex, join } from './bytes.js';
import type { Fault } from './finding.js';
import { CARRIAGE_RETURN, hexNumber, isSpace, LINE_FEED } from './json-scan.js';

const bytesFirst =
  'Read the body as bytes (a Buffer or Uint8Array) and pass those to the library; decode it, if at all, after it is verified.';

const faults = {
  bomAdded: {
    cause: 'body-bom-added',
    what: 'The body starts with a byte order mark that was not sent.',
    fix: `${bytesFirst} Where it was saved to a file, save it as UTF-8 without BOM.`,
  },
  bomLost: {
    cause: 'body-bom-lost',
    what: 'The byte order mark at the start of the body was lost: decoding to text drops it.',
    fix: `${bytesFirst} request.text() and TextDecoder drop it, request.arrayBuffer() does not.`,
  },
  latin1: {
    cause: 'body-latin1',
    what: 'The body was decoded or encoded as Latin-1 (binary, Windows-1252); it is UTF-8.',
    fix: `${bytesFirst} Look for toString('latin1'), toString('binary'), setEncoding or a file that was read in another encoding.`,
  },
  utf16: {
    cause: 'body-utf16',
    what: 'The body is in UTF-16; it was sent in UTF-8.',
    fix: `${bytesFirst} A file that PowerShell's > wrote is in UTF-16: use Set-Content -AsByteStream, or curl --output.`,
  },
  base64: {
    cause: 'body-base64',
    what: 'The body is still in base64.',
    fix: "Decode it first: in AWS Lambda Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'), which lambdaHandler does for you.",
  },
  hex: {
    cause: 'body-hex',
    what: 'The body is still in hex.',
    fix: "Decode it first: Buffer.from(text, 'hex').",
  },
  url: {
    cause: 'body-url-encoded',
    what: 'The body is URL-encoded like a form.',
    fix: 'It was read or sent as a form: send it with --data-binary in curl and Content-Type application/json, and do not mount express.urlencoded before the route.',
  },
  double: {
    cause: 'body-double-encoded',
    what: 'The body is a JSON string that contains the body: it was serialized twice.',
    fix: 'Remove JSON.stringify around a value that is already text (a body in fetch, a queue message, a log line).',
  },
  buffer: {
    cause: 'body-buffer-serialized',
    what: 'The body is a Buffer that was written as text: as JSON, or as comma-separated numbers.',
    fix: 'Pass the Buffer or Uint8Array itself, not JSON.stringify(buffer) or String(bytes).',
  },
  html: {
    cause: 'body-html-escaped',
    what: 'Characters of the body were replaced with HTML entities, such as &quot;.',
    fix: 'Do not sanitise input before the route, and copy a body from a raw view, not from a web page.',
  },
  lines: {
    cause: 'body-line-endings',
    what: 'Line breaks of the body were converted between LF and CRLF.',
    fix: `${bytesFirst} Mark fixtures as binary for git (*.json -text in .gitattributes) and transfer files in binary mode.`,
  },
  normalized: {
    cause: 'body-unicode-normalized',
    what: 'Characters of the body were composed or decomposed (Unicode normalisation).',
    fix: `${bytesFirst} Do not call normalize() before the HMAC.`,
  },
} satisfies Record<string, Fault>;

/** Characters of Windows-1252 that differ from Latin-1, with their bytes from 0x80. */
const CP1252 = new Map(
  Array.from('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ', (character, at) => [
    character.charCodeAt(0),
    0x80 + at,
  ]),
);

/** Encodes a text as Latin-1 or Windows-1252; undefined if it has other characters. */
function singleBytes(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  let isAscii = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = code < 0x100 ? code : CP1252.get(code);
    if (byte === undefined) return undefined;
    bytes[at] = byte;
    isAscii &&= byte < 0x80;
  }
  return isAscii ? undefined : bytes;
}

function fromUtf16(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (bytes.length % 2 !== 0 || !(marked || first === 0 || second === 0)) return undefined;
  const high = first === 0xfe || first === 0 ? 0 : 1;
  const start = marked ? 2 : 0;
  const units = new Uint16Array((bytes.length - start) / 2);
  for (let at = 0; at < units.length; at++) {
    const byte = start + 2 * at;
    units[at] = ((bytes[byte + high] as number) << 8) | (bytes[byte + 1 - high] as number);
  }
  return fromCodes(units);
}

const SPACE = 0x20;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const SEMICOLON = 0x3b;
const LONGEST_ENTITY = 10;
const NAMED = new Map([
  ['quot', 0x22],
  ['apos', 0x27],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['amp', 0x26],
  ['nbsp', 0xa0],
]);

/** The character of an entity; undefined if unknown. */
function pointOf(entity: string): number | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(entity) ?? [];
  if (hex === undefined && decimal === undefined) return NAMED.get(entity);
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? undefined : point;
}

function withoutEntities(bytes: Uint8Array): Uint8Array {
  const sink = new ByteSink(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] === AMPERSAND ? bytes.subarray(at, at + LONGEST_ENTITY).indexOf(SEMICOLON) : 0;
    const point = length > 0 ? pointOf(fromCodes(bytes.subarray(at + 1, at + length))) : undefined;
    if (point === undefined) sink.push(bytes[at++] as number);
    else {
      sink.point(point);
      at += length + 1;
    }
  }
  return sink.done();
}

/** The bytes of a Buffer that was serialized as JSON or as a list of numbers. */
function listed(text: string): Uint8Array | undefined {
  const list = /^(?:\{"type":"Buffer","data":)?\[?([0-9,\s]+)\]?\}?$/.exec(text.trim())?.[1];
  if (!list?.includes(',')) return undefined;
  const bytes = new Uint8Array(list.length);
  let count = 0;
  for (let at = 0; at <= list.length; count++) {
    const comma = list.indexOf(',', at);
    const end = comma < 0 ? list.length : comma;
    const byte = Number(list.slice(at, end));
    if (!(byte <= 255)) return undefined;
    bytes[count] = byte;
    at = end + 1;
  }
  return bytes.slice(0, count);
}

function unquoted(text: string): string {
  const bare = text.trim();
  return JSON.parse(bare.startsWith('"') ? bare : `"${bare}"`) as string;
}

function withoutSpace(bytes: Uint8Array): Uint8Array {
  const sink = new ByteSink(bytes.length);
  for (let at = 0; at < bytes.length; at++) if (!isSpace(bytes[at])) sink.push(bytes[at] as number);
  return sink.done();
}

/** Decodes URL-encoded text; undefined if it is not URL-encoded. */
function percentDecoded(bytes: Uint8Array, isForm: boolean): Uint8Array | undefined {
  const sink = new ByteSink(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === PERCENT) {
      const decoded = hexNumber(bytes, at + 1, 2);
      if (Number.isNaN(decoded)) return undefined;
      sink.push(decoded);
      at += 2;
    } else sink.push(isForm && byte === PLUS ? SPACE : byte);
  }
  return sink.done();
}

function* formDecoded(text: string, { bytes }: BodyView): Generator<Uint8Array | undefined> {
  if (/^[[{]/.test(text) || !/%[0-9a-f]{2}/i.test(text)) return;
  const [name] = /^[\w.-]{1,64}=/.exec(text) ?? [];
  const withoutEquals = text.endsWith('=') ? bytes.subarray(0, -1) : undefined;
  for (const each of [bytes, withoutEquals, name && bytes.subarray(name.length)]) {
    if (!each) continue;
    yield percentDecoded(each, false);
    yield percentDecoded(each, true);
  }
}

/** More combining marks on a letter are not real text, and normalizing them takes quadratic time. */
const MARKS = /\p{M}{31}/u;

function* normalized(text: string): Generator<string> {
  if (!/[\u0080-\uffff]/.test(text) || MARKS.test(text)) return;
  yield text.normalize('NFC');
  yield text.normalize('NFD');
}

const CRLF = Uint8Array.of(CARRIAGE_RETURN, LINE_FEED);
const LF = Uint8Array.of(LINE_FEED);

/** Converts every line break. For CRLF, a lone CR is not a line break. */
function withLines(bytes: Uint8Array, lineBreak: Uint8Array): Uint8Array {
  const sink = new ByteSink(bytes.length, 2 * bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at++;
    const byte = bytes[at] as number;
    if (byte === LINE_FEED || (byte === CARRIAGE_RETURN && lineBreak === LF)) sink.append(lineBreak);
    else sink.push(byte);
  }
  return sink.done();
}

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);

type Undo = (text: string, view: BodyView) => Iterable<string | Uint8Array | undefined>;

const ofText = (fault: Fault, undo: Undo): Step =>
  function* ofText(view): Generator<Undone> {
    if (view.text === undefined) return;
    for (const each of undo(view.text, view)) if (each !== undefined) yield [each, fault];
  };

const utf16: Step = function* utf16({ bytes }) {
  const text = fromUtf16(bytes);
  if (text !== undefined) yield [text, faults.utf16];
};

const latin: Step = function* latin({ bytes, text }) {
  const body = text === undefined ? fromCodes(bytes) : singleBytes(text);
  if (body !== undefined) yield [body, faults.latin1];
};

/** The steps, the most frequent fault first. */
export const encodingSteps: readonly Step[] = [
  utf16,
  ofText(faults.double, (text) => [/^\s*"|\\"/.test(text) ? unquoted(text) : undefined]),
  ofText(faults.base64, (_, { bytes }) => [fromBase64(fromCodes(withoutSpace(bytes)))]),
  ofText(faults.bomAdded, (text) => [text.replace(/^\uFEFF/, '')]),
  latin,
  ofText(faults.url, formDecoded),
  ofText(faults.buffer, (text) => [listed(text)]),
  ofText(faults.lines, (_, { bytes }) => [withLines(bytes, LF), withLines(bytes, CRLF)]),
  ofText(faults.hex, (text) => [fromHex(text.trim())]),
  ofText(faults.html, (_, { bytes }) => [withoutEntities(bytes)]),
  ofText(faults.normalized, normalized),
  ofText(faults.bomLost, (text, { bytes }) => [text.startsWith('\uFEFF') ? undefined : join(BOM, bytes)]),
];
