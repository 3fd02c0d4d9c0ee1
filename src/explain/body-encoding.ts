import { fromBase64, fromHex, fromLatin1, join, latin1, textOf, utf8 } from './bytes.js';
import type { Fault } from './fault.js';

const bytesFirst =
  'Take the body as bytes (a Buffer or Uint8Array) and hand those to the library; turn it into text, if at all, after it is verified.';

const faults = {
  bomAdded: {
    cause: 'body-bom-added',
    what: 'There is a byte order mark in front of the body that was not sent.',
    fix: `${bytesFirst} Where it was saved to a file, save it as UTF-8 without BOM.`,
  },
  bomLost: {
    cause: 'body-bom-lost',
    what: 'The byte order mark in front of the body was lost: decoding to text drops it.',
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
    fix: "Decode it first: in AWS Lambda Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'), which lambdaHandler does by itself.",
  },
  hex: {
    cause: 'body-hex',
    what: 'The body is still in hex.',
    fix: "Decode it first: Buffer.from(text, 'hex').",
  },
  url: {
    cause: 'body-url-encoded',
    what: 'The body is URL-encoded, as a form is.',
    fix: 'It was read or sent as a form: send it with --data-binary in curl and Content-Type application/json, and mount no express.urlencoded before the route.',
  },
  double: {
    cause: 'body-double-encoded',
    what: 'The body is a JSON string that has the body in it: it was serialised twice.',
    fix: 'Leave out JSON.stringify around what is text already (a body in fetch, a queue message, a log line).',
  },
  buffer: {
    cause: 'body-buffer-serialized',
    what: 'The body is a Buffer that was written as text: as JSON, or as numbers with commas between them.',
    fix: 'Hand the Buffer or Uint8Array on itself: neither JSON.stringify(buffer) nor String(bytes).',
  },
  html: {
    cause: 'body-html-escaped',
    what: 'Characters of the body were replaced with HTML entities, such as &quot;.',
    fix: 'Mount nothing that sanitises input before the route, and copy a body from a raw view, not from a page.',
  },
  lines: {
    cause: 'body-line-endings',
    what: 'Line breaks of the body were converted between LF and CRLF.',
    fix: `${bytesFirst} Mark fixtures as binary for git (*.json -text in .gitattributes) and transfer files in binary mode.`,
  },
  normalized: {
    cause: 'body-unicode-normalized',
    what: 'Letters of the body were put together or taken apart (Unicode normalisation).',
    fix: `${bytesFirst} No normalize() before the HMAC.`,
  },
} satisfies Record<string, Fault>;

/** The characters of Windows-1252 from 0x80 on, where it differs from Latin-1. */
const CP1252 = new Map(
  [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'].map((character, at) => [
    character,
    String.fromCharCode(0x80 + at),
  ]),
);

/** The bytes that were decoded as Latin-1 or Windows-1252 to give a text; undefined when it is too wide for that. */
function singleBytes(text: string): Uint8Array | undefined {
  if (!/[\x80-\uffff]/.test(text)) return undefined;
  const narrow = text.replace(/[\u0100-\uffff]/g, (character) => CP1252.get(character) ?? character);
  return /[\u0100-\uffff]/.test(narrow) ? undefined : latin1(narrow);
}

function fromUtf16(bytes: Uint8Array): Uint8Array | undefined {
  const [first, second] = bytes;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (bytes.length % 2 !== 0 || !(marked || first === 0 || second === 0)) return undefined;
  const bigEndian = first === 0xfe || first === 0;
  const units: string[] = [];
  for (let at = marked ? 2 : 0; at < bytes.length; at += 2) {
    const [high = 0, low = 0] = bigEndian ? [bytes[at], bytes[at + 1]] : [bytes[at + 1], bytes[at]];
    units.push(String.fromCharCode(high * 256 + low));
  }
  return utf8(units.join(''));
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', nbsp: '\u00a0' };

const withoutEntities = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    // No entity, then: there is no such character.
    return code > 0x10ffff ? all : String.fromCodePoint(code);
  });

/** The bytes of a Buffer that was written as JSON or as a list of numbers. */
function listed(text: string): Uint8Array | undefined {
  const numbers = /^(?:\{"type":"Buffer","data":)?\[?([0-9,\s]+)\]?\}?$/.exec(text.trim())?.[1]?.split(',').map(Number);
  return numbers && numbers.length > 1 && numbers.every((each) => each <= 255) ? Uint8Array.from(numbers) : undefined;
}

function unquoted(text: string): string | undefined {
  const bare = text.trim();
  const value: unknown = JSON.parse(bare.startsWith('"') ? bare : `"${bare}"`);
  return typeof value === 'string' ? value : undefined;
}

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);

type Undo = (text: string, bytes: Uint8Array) => readonly (string | Uint8Array | undefined)[];

/** What undoes each, the most frequent first. */
const UNDO: readonly (readonly [fault: Fault, undo: Undo])[] = [
  [faults.double, (text) => [/^\s*"|\\"/.test(text) ? unquoted(text) : undefined]],
  [faults.base64, (text) => [fromBase64(text.replace(/\s+/g, ''))]],
  [faults.bomAdded, (text) => [text.replace(/^\uFEFF/, '')]],
  [faults.latin1, (text) => [singleBytes(text)]],
  [faults.url, (text) => (/^[^[{]/.test(text) && /%[0-9a-f]{2}/i.test(text) ? formDecoded(text) : [])],
  [faults.buffer, (text) => [listed(text)]],
  [faults.lines, (text) => [text.replace(/\r\n?/g, '\n'), text.replace(/\r?\n/g, '\r\n')]],
  [faults.hex, (text) => [fromHex(text.trim())]],
  [faults.html, (text) => (text.includes('&') ? [withoutEntities(text)] : [])],
  [faults.normalized, (text) => (/[\u0080-\uffff]/.test(text) ? [text.normalize('NFC'), text.normalize('NFD')] : [])],
  [faults.bomLost, (text, bytes) => (text.startsWith('\uFEFF') ? [] : [join(BOM, bytes)])],
];

function formDecoded(text: string): string[] {
  const decode = (each: string) => [decodeURIComponent(each), decodeURIComponent(each.replace(/\+/g, ' '))];
  const field = /^[\w.-]{1,64}=(.*)$/s.exec(text)?.[1];
  return [...decode(text), ...decode(text.replace(/=$/, '')), ...(field === undefined ? [] : decode(field))];
}

/** The bytes that a body may have been before it was decoded or encoded in the wrong way. */
export function* recoded(bytes: Uint8Array): Generator<readonly [body: string | Uint8Array, fault: Fault]> {
  const wide = fromUtf16(bytes);
  if (wide) yield [wide, faults.utf16];
  const text = textOf(bytes);
  if (text === undefined) {
    yield [fromLatin1(bytes), faults.latin1];
    return;
  }
  for (const [fault, undo] of UNDO) {
    let found: ReturnType<Undo> = [];
    try {
      found = undo(text, bytes);
    } catch {
      // Not encoded in this way.
    }
    for (const each of found) if (each !== undefined) yield [each, fault];
  }
}
