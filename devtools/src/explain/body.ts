import { attempt } from '../guards.js';
import { isReadable } from '../readable-json.js';
import { bodyFaults } from './body-faults.js';
import { fromBase64, fromCodes, fromHex, goJson, replaced, sameBytes, textOf, utf8 } from './bytes.js';
import type { Candidate } from './finding.js';

/** Maximum commas and opening brackets in JSON that is parsed: a delivery of 10 MiB has fewer. */
const MOST_MARKS = 500_000;

/** The value of a JSON text; undefined if it is invalid or would take too much memory. */
export const parsedJson = (bytes: Uint8Array, text: string): unknown =>
  isReadable(bytes, MOST_MARKS) ? attempt(() => JSON.parse(text) as unknown) : undefined;

interface BodyView {
  readonly bytes: Uint8Array;
  /** Empty if the bytes are not UTF-8. */
  readonly text: string;
  readonly json: unknown;
}

type Bodies = readonly (string | Uint8Array | undefined)[];

const MOST_MEMBERS = 16;

/** The members of an object, or of an array with one item. */
const membersOf = ({ json }: BodyView): [string, unknown][] =>
  isObject(json) && (!Array.isArray(json) || json.length === 1) ? Object.entries(json).slice(0, MOST_MEMBERS) : [];
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isPretty = (text: string) => /[[{,]\r?\n/.test(text);
const rewritten = (json: unknown): Bodies => (json === undefined ? [] : [goJson(json), JSON.stringify(json)]);

/** Characters of Windows-1252 that differ from Latin-1, with their bytes from 0x80. */
const CP1252 = new Map(
  Array.from('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ', (character, at) => [
    character.charCodeAt(0),
    0x80 + at,
  ]),
);

function latin1Of(text: string): Uint8Array | undefined {
  const single = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = code < 0x100 ? code : CP1252.get(code);
    if (byte === undefined) return undefined;
    single[at] = byte;
  }
  return single;
}

function utf16Of(bytes: Uint8Array): string | undefined {
  const isBig = bytes[0] === 0 || bytes[0] === 0xfe;
  if (!isBig && bytes[1] !== 0 && bytes[0] !== 0xff) return undefined;
  return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes);
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

function withoutZeros(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

/** Bodies that may have been signed, by the mistake that changed them, the most frequent first. A step may throw. */
export const bodySteps: Partial<Record<keyof typeof bodyFaults, (view: BodyView) => Bodies>> = {
  'body-whitespace-added': ({ text }) => [text.replace(/^[ \t\r\n]+/, '')],
  'body-bom-added': ({ text }) => [text.startsWith('\uFEFF') ? text.slice(1) : undefined],
  'body-reserialized': ({ text, json }) => (isPretty(text) ? [] : rewritten(json)),
  'body-pretty-printed': ({ text, json }) => (isPretty(text) ? rewritten(json) : []),
  'body-repeated': ({ bytes }) => {
    const half = bytes.subarray(0, bytes.length / 2);
    return [sameBytes(half, bytes.subarray(half.length)) ? half : undefined];
  },
  'body-padded': ({ bytes }) => [withoutZeros(bytes)],
  'body-single-event': ({ text, json }) => [isObject(json) && !Array.isArray(json) ? `[${text}]` : undefined],
  'body-wrapped': (view) => membersOf(view).flatMap(([, value]) => (isObject(value) ? rewritten(value) : [])),
  'body-lambda-event': (view) =>
    membersOf(view).map(([, value]) => {
      if (typeof value !== 'string') return undefined;
      return /^\s*[[{]/.test(value) ? value : fromBase64(value);
    }),
  'body-form-parsed': (view) =>
    membersOf(view).map(([key, value]) => {
      if (!key.startsWith('[')) return undefined;
      return value === '' || value === null ? key : `${key}=${String(value)}`;
    }),
  'body-double-encoded': ({ text }) => [text.startsWith('"') ? (JSON.parse(text) as string) : undefined],
  'body-base64': ({ text }) => [fromBase64(replaced(text, /\s/g, () => ''))],
  'body-latin1': ({ bytes, text }) => [text === '' ? fromCodes(bytes) : latin1Of(text)],
  'body-utf16': ({ bytes }) => [utf16Of(bytes)],
  'body-url-encoded': ({ text }) => [formDecoded(text)],
  'body-buffer-serialized': ({ text }) => [listed(text)],
  'body-line-endings': ({ text }) => [
    text.includes('\r') ? replaced(text, /\r\n/g, () => '\n') : replaced(text, /\n/g, () => '\r\n'),
  ],
  'body-hex': ({ text }) => [fromHex(text)],
  'body-bom-lost': ({ text }) => [text.startsWith('\uFEFF') ? undefined : `\uFEFF${text}`],
};

/** A body as text and as a value, read once for all steps. */
export function viewOf(bytes: Uint8Array): BodyView {
  const text = textOf(bytes) ?? '';
  return { bytes, text, json: parsedJson(bytes, text) };
}

/**
 * Bodies that may have been signed, the most frequent mistakes first.
 *
 * @param spend Whether this many bytes may still be produced.
 */
export function* readBody(bytes: Uint8Array, spend: (bytes: number) => boolean): Generator<Candidate<Uint8Array>> {
  const view = viewOf(bytes);
  for (const [cause, step] of Object.entries(bodySteps)) {
    if (!spend(bytes.length >> 3)) return;
    for (const body of attempt(() => step(view)) ?? []) {
      if (body === undefined || body.length === 0) continue;
      const value = typeof body === 'string' ? utf8(body) : body;
      if (!sameBytes(value, bytes)) yield { value, fault: bodyFaults[cause as keyof typeof bodyFaults] };
    }
  }
}
