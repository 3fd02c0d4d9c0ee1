import { parsedJson } from './body.js';
import { textOf, utf8 } from './bytes.js';
import { type Fault, fault } from './finding.js';
import type { ReadOptions } from './options.js';

/** Findings from the form of the body. */
export function inspectBody({ body: { value: bytes, faults } }: ReadOptions): Fault[] {
  if (faults.length > 0) return [...faults];
  if (bytes.length === 0) {
    return [
      fault(
        'body-empty',
        'The body is empty.',
        'The stream was already read: mount the route before body parsers, read the body once, and pass on what was read. In Express, use expressHandler before app.use(express.json()).',
      ),
    ];
  }
  const [first, second] = bytes;
  if (
    (first === 0x1f && second === 0x8b) ||
    (first === 0x28 && second === 0xb5) ||
    (first === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(second ?? 0))
  ) {
    return [
      fault(
        'body-compressed',
        'The body is still compressed (gzip, zlib or zstd).',
        'Decompress it before you verify it (zlib.gunzipSync), or turn off compression in the proxy or client that compresses it: the uncompressed body was signed.',
      ),
    ];
  }
  const text = textOf(bytes);
  if (text === undefined)
    return [
      fault(
        'body-not-utf8',
        'The body is not UTF-8 text.',
        'Pass the bytes as received: something re-encoded or cut them.',
      ),
    ];
  const found: Fault[] = [];
  if (text.includes('\ufffd')) {
    found.push(
      fault(
        'body-replacement-characters',
        'The body contains replacement characters (U+FFFD): bytes that are not valid UTF-8 on their own were decoded.',
        'Collect the chunks of the request as bytes, Buffer.concat(chunks), instead of body += chunk: a character may be split between two chunks.',
      ),
    );
  }
  const bare = text.trim();
  if (/^(?:\[object \w+\]|undefined|null)$/.test(bare)) {
    found.push(
      fault(
        'body-stringified',
        'The body is the name of a type: an object was converted to a string.',
        'Pass the bytes of the request, not String(req.body) or a template with it.',
      ),
    );
  } else if (/^(?:\{\}|\[\])$/.test(bare)) {
    found.push(
      fault(
        'body-consumed',
        'The body is an empty object or array, which a body parser leaves when it finds nothing to read.',
        'The stream was already read, or the parser does not handle this Content-Type. Pass the raw bytes.',
      ),
    );
  } else if (/^</.test(bare)) {
    found.push(
      fault(
        'body-not-json',
        'The body is HTML or XML: a web page, or the response of a proxy.',
        'Check what sent it. A delivery is a JSON array.',
      ),
    );
  } else {
    found.push(...ofJson(text.replace(/^\uFEFF/, '')));
  }
  return found;
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

const raw =
  'Pass the raw bytes, before anything parses them. jsonb of Postgres, sort_keys of Python and many loggers reorder keys; a JavaScript number has 16 digits.';

/** A body with a rounded number, whose lost digits cannot be restored. */
export const rounded: Fault = fault(
  'body-numbers-rounded',
  'A large number in the body ends with zeros, as parsing leaves it when it rounds.',
  raw,
);

export const reordered: Fault = fault(
  'body-keys-reordered',
  'The keys of the events are not in the order in which they are sent.',
  raw,
);

function hasRounded(text: string): boolean {
  const [digits] = /(?<=[:[,] ?)[1-9][0-9]{15,20}0(?=[\]},])/.exec(text) ?? [];
  return digits !== undefined && String(Number(digits)) === digits;
}

function ofJson(text: string): Fault[] {
  if (isCut(text)) {
    return [
      fault(
        'body-truncated',
        'The body is truncated: its JSON is not closed.',
        'Read the stream to its end before you verify it, read as many bytes as Content-Length says, and look for a size limit on the way (a proxy, a database column, a log line).',
      ),
    ];
  }
  const json = parsedJson(utf8(text), text);
  if (json === undefined && !/^\s*[[{]/.test(text))
    return [fault('body-not-json', 'The body is not JSON.', 'Pass the bytes as received. A delivery is a JSON array.')];
  if (/^\s*\{/.test(text))
    return [
      fault(
        'body-single-event',
        'The body is an object; a delivery is an array of events.',
        'Verify the whole body before you extract events from it. Do not verify events one by one.',
      ),
    ];
  if (/^\[\s?\{\s?(?:"id"\s?:\s?"[^"\\]{0,99}"\s?,\s?)?"data"/.test(text)) return [reordered];
  return hasRounded(text) ? [rounded] : [];
}
