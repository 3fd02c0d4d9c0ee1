import { parsedJson } from './body.js';
import { bodyFaults } from './body-faults.js';
import { textOf, toHex, utf8 } from './bytes.js';
import type { Fault } from './finding.js';

/** The first bytes of gzip, zstd, and zlib at each of its levels. */
const COMPRESSED = ['1f8b', '28b5', '7801', '785e', '789c', '78da'];

/** Findings from the form of the body. */
export function inspectBody(bytes: Uint8Array): Fault[] {
  return causesOf(bytes).map((cause) => bodyFaults[cause]);
}

function causesOf(bytes: Uint8Array): (keyof typeof bodyFaults)[] {
  if (bytes.length === 0) return ['body-empty'];
  if (COMPRESSED.includes(toHex(bytes.subarray(0, 2)))) return ['body-compressed'];
  const text = textOf(bytes);
  if (text === undefined) return ['body-not-utf8'];
  const ofCharacters = text.includes('\ufffd') ? (['body-replacement-characters'] as const) : [];
  const ofText = causeOfText(text.replace(/^\uFEFF/, ''));
  return [...ofCharacters, ...(ofText ? [ofText] : [])];
}

function causeOfText(text: string): keyof typeof bodyFaults | undefined {
  const bare = text.trim();
  if (/^(?:\[object \w+\]|undefined|null)$/.test(bare)) return 'body-stringified';
  if (/^(?:\{\}|\[\])$/.test(bare)) return 'body-consumed';
  if (/^</.test(bare)) return 'body-not-json';
  if (isCut(text)) return 'body-truncated';
  if (!/^[[{]/.test(bare) && parsedJson(utf8(text), text) === undefined) return 'body-not-json';
  if (bare.startsWith('{')) return 'body-single-event';
  if (/^\[\s?\{\s?(?:"id"\s?:\s?"[^"\\]{0,99}"\s?,\s?)?"data"/.test(text)) return 'body-keys-reordered';
  return hasRounded(text) ? 'body-numbers-rounded' : undefined;
}

/** Whether a JSON text ends inside a string, list or object. */
function isCut(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      if (at >= text.length) return true;
    } else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
  }
  return depth > 0;
}

function hasRounded(text: string): boolean {
  const [digits] = /(?<=[:[,] ?)[1-9][0-9]{15,20}0(?=[\]},])/.exec(text) ?? [];
  return digits !== undefined && String(Number(digits)) === digits;
}
