import { rounded } from './body-style.js';
import { textOf } from './bytes.js';
import { type Fault, fault } from './finding.js';
import { looksOf } from './json-looks.js';
import { kindOf } from './json-scan.js';
import type { ReadOptions } from './options.js';

/** What the form of the body shows. */
export function inspectBody({ body: { value: bytes, faults } }: ReadOptions): Fault[] {
  if (faults.length > 0) return [...faults];
  if (bytes.length === 0) {
    return [
      fault(
        'body-empty',
        'The body is empty.',
        'Something read the stream before: mount the route before body parsers, read the body once, and hand on what was read. In Express use expressHandler before app.use(express.json()).',
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
        'Decompress it before it is verified (zlib.gunzipSync), or have what compresses it on the way (a proxy, a client) leave it: it was signed uncompressed.',
      ),
    ];
  }
  const text = textOf(bytes);
  if (text === undefined)
    return [
      fault(
        'body-not-utf8',
        'The body is no UTF-8 text.',
        'Pass the bytes as they came: something encoded or cut them.',
      ),
    ];
  const found: Fault[] = [];
  if (text.includes('\ufffd')) {
    found.push(
      fault(
        'body-replacement-characters',
        'There are replacement characters (U+FFFD) in the body: bytes that were not UTF-8 by themselves were decoded.',
        'Collect the chunks of the request as bytes, Buffer.concat(chunks), in place of body += chunk: a character may be cut between two chunks.',
      ),
    );
  }
  const bare = text.trim();
  if (/^(?:\[object \w+\]|undefined|null)$/.test(bare)) {
    found.push(
      fault(
        'body-stringified',
        'The body is the name of a type: an object was turned into text.',
        'Pass the bytes of the request, not String(req.body) or a template with it.',
      ),
    );
  } else if (/^(?:\{\}|\[\])$/.test(bare)) {
    found.push(
      fault(
        'body-consumed',
        'The body is an empty object or list, as a parser leaves it that found nothing to read.',
        'Something read the stream before, or the Content-Type was not the one that the parser takes: pass the raw bytes.',
      ),
    );
  } else if (/^</.test(bare)) {
    found.push(
      fault(
        'body-not-json',
        'The body is HTML or XML: another page, or the answer of a proxy.',
        'Look at what sent it. A delivery is a JSON array.',
      ),
    );
  } else {
    found.push(...ofJson(text.startsWith('\uFEFF') ? bytes.subarray(3) : bytes));
  }
  return found;
}

function ofJson(bytes: Uint8Array): Fault[] {
  const kind = kindOf(bytes);
  const looks = looksOf(bytes);
  if (kind === undefined && looks.depth > 0) {
    return [
      fault(
        'body-truncated',
        'The body ends early: its JSON is not closed.',
        'Read the stream to its end before it is verified, take as many bytes as Content-Length says, and look for a limit on the way (a proxy, a column, a log line).',
      ),
    ];
  }
  if (kind === undefined)
    return [fault('body-not-json', 'The body is no JSON.', 'Pass the bytes as they came. A delivery is a JSON array.')];
  if (kind === 'object')
    return [
      fault(
        'body-single-event',
        'The body is an object; a delivery is an array of events.',
        'Verify the whole body before you take events out of it, and do not verify them one by one.',
      ),
    ];
  return looks.rounded ? [rounded] : [];
}
