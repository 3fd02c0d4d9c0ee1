import { type Finding, faultsOf } from './finding.js';

const raw =
  "Verify the bytes as received: in Express, mount the route before app.use(express.json()), or give it express.raw({ type: 'application/json' }) and pass req.body; in Fastify, Nest, Lambda and Fetch pass the raw body (await request.arrayBuffer()). expressHandler and the other adapters do this for you.";
const bytesFirst =
  'Read the body as bytes (a Buffer or Uint8Array) and pass those to the library; decode it, if at all, after it is verified.';
const rewritten =
  'Pass the raw bytes, before anything parses them. jsonb of Postgres, sort_keys of Python and many loggers reorder keys; a JavaScript number has 16 digits.';

/** The faults of a body, by cause. */
export const bodyFaults = faultsOf({
  'body-reserialized': [
    'The body was parsed and serialized again. The service writes &, < and > as \\u0026, \\u003c and \\u003e; JSON.stringify does not, and changes other spellings too, as every serializer does.',
    raw,
  ],
  'body-pretty-printed': [
    'The body was pretty-printed; compact JSON was signed.',
    `${raw} If it was saved for a test, save the bytes: no formatter, no JSON.stringify(…, null, 2), no jq.`,
  ],
  'body-bom-added': [
    'The body starts with a byte order mark that was not sent.',
    `${bytesFirst} Where it was saved to a file, save it as UTF-8 without BOM.`,
  ],
  'body-bom-lost': [
    'The byte order mark at the start of the body was lost: decoding to text drops it.',
    `${bytesFirst} request.text() and TextDecoder drop it, request.arrayBuffer() does not.`,
  ],
  'body-latin1': [
    'The body was decoded or encoded as Latin-1 (binary, Windows-1252); it is UTF-8.',
    `${bytesFirst} Look for toString('latin1'), toString('binary'), setEncoding or a file that was read in another encoding.`,
  ],
  'body-utf16': [
    'The body is in UTF-16; it was sent in UTF-8.',
    `${bytesFirst} A file that PowerShell's > wrote is in UTF-16: use Set-Content -AsByteStream, or curl --output.`,
  ],
  'body-base64': [
    'The body is still in base64.',
    "Decode it first: in AWS Lambda Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'), which lambdaHandler does for you.",
  ],
  'body-hex': ['The body is still in hex.', "Decode it first: Buffer.from(text, 'hex')."],
  'body-url-encoded': [
    'The body is URL-encoded like a form.',
    'It was read or sent as a form: send it with --data-binary in curl and Content-Type application/json, and do not mount express.urlencoded before the route.',
  ],
  'body-double-encoded': [
    'The body is a JSON string that contains the body: it was serialized twice.',
    'Remove JSON.stringify around a value that is already text (a body in fetch, a queue message, a log line).',
  ],
  'body-buffer-serialized': [
    'The body is a Buffer that was written as text: as JSON, or as comma-separated numbers.',
    'Pass the Buffer or Uint8Array itself, not JSON.stringify(buffer) or String(bytes).',
  ],
  'body-line-endings': [
    'Line breaks of the body were converted between LF and CRLF.',
    `${bytesFirst} Mark fixtures as binary for git (*.json -text in .gitattributes) and transfer files in binary mode.`,
  ],
  'body-wrapped': [
    'The body is wrapped in another value: one of the values in it was signed.',
    'Pass the body of the request itself, not an object or array that contains it.',
  ],
  'body-lambda-event': [
    "The body is a whole Lambda or queue event, which contains the request's body as text.",
    "Pass the body in it: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'). lambdaHandler does this for you.",
  ],
  'body-form-parsed': [
    'The body was parsed as a form: it became the key of an object.',
    'Do not mount express.urlencoded before the route, and send Content-Type application/json.',
  ],
  'body-whitespace-added': [
    'The body has leading or trailing white space, such as a final line break, that was not sent.',
    'Pass the bytes as received. Editors, echo and heredocs add a line break to a file: save with curl --output, send with --data-binary.',
  ],
  'body-trimmed': [
    'The signed text has white space, such as a line break, behind the body: the end of the body was lost, or the signer separates body and timestamp with it.',
    'Pass the bytes as received: no trim(), no curl --data (it drops line breaks; use --data-binary), no shell $(cat file). If you sign it yourself, put nothing in between: hmac.update(rawBody).update(timestamp).',
  ],
  'body-repeated': [
    'The body is repeated: it occurs twice in a row.',
    'Collect the chunks of a request once: two data listeners that push to one array, or a retry that appends, double the body.',
  ],
  'body-padded': [
    'The body ends with zero bytes: it was copied into a larger buffer.',
    'Cut the buffer to the bytes that were read: buffer.subarray(0, length).',
  ],
  'body-parsed': [
    'The body is a parsed value, not bytes or text.',
    "Pass the raw bytes: in Express, mount the route before app.use(express.json()), with express.raw({ type: 'application/json' }); in Fetch, await request.arrayBuffer(); in Lambda, event.body.",
  ],
  'body-empty': [
    'The body is empty.',
    'The stream was already read: mount the route before body parsers, read the body once, and pass on what was read. In Express, use expressHandler before app.use(express.json()).',
  ],
  'body-compressed': [
    'The body is still compressed (gzip, zlib or zstd).',
    'Decompress it before you verify it (zlib.gunzipSync), or turn off compression in the proxy or client that compresses it: the uncompressed body was signed.',
  ],
  'body-not-utf8': ['The body is not UTF-8 text.', 'Pass the bytes as received: something re-encoded or cut them.'],
  'body-replacement-characters': [
    'The body contains replacement characters (U+FFFD): bytes that are not valid UTF-8 on their own were decoded.',
    'Collect the chunks of the request as bytes, Buffer.concat(chunks), instead of body += chunk: a character may be split between two chunks.',
  ],
  'body-stringified': [
    'The body is the name of a type: an object was converted to a string.',
    'Pass the bytes of the request, not String(req.body) or a template with it.',
  ],
  'body-consumed': [
    'The body is an empty object or array, which a body parser leaves when it finds nothing to read.',
    'The stream was already read, or the parser does not handle this Content-Type. Pass the raw bytes.',
  ],
  'body-not-json': [
    'The body is not JSON: text, or a web page, such as the response of a proxy.',
    'Check what sent it, and pass the bytes as received. A delivery is a JSON array.',
  ],
  'body-truncated': [
    'The body is truncated: its JSON is not closed.',
    'Read the stream to its end before you verify it, read as many bytes as Content-Length says, and look for a size limit on the way (a proxy, a database column, a log line).',
  ],
  'body-single-event': [
    'The body is an object; a delivery is an array of events.',
    'Verify the whole body before you extract events from it. Do not verify events one by one.',
  ],
  'body-numbers-rounded': [
    'A large number in the body ends with zeros, as parsing leaves it when it rounds.',
    rewritten,
  ],
  'body-keys-reordered': ['The keys of the events are not in the order in which they are sent.', rewritten],
  'body-with-timestamp': [
    'The timestamp is at the end of the body already: it was appended before.',
    'Pass only the body as rawBody. The library appends the timestamp.',
  ],
});

/** `listener`: the listener read the exact bytes. `receiver`: a receiver read them, unless the app set `rawBody`. */
export type ReadBy = 'listener' | 'receiver';

const proxy = 'in the proxy, gateway or firewall in front (docs/operate/proxies.md)';
const changed = `Turn off the rewriting of bodies for this path ${proxy}. Or have the sender sign exactly the bytes that it sends.`;
const filled = ' If your app fills `rawBody` of the request itself, have it keep the bytes as received.';

/** Fixes for a body that was not changed after its arrival, if they differ from the usual ones. */
const FIXES: Readonly<Record<string, string>> = {
  'body-empty': `Have the sender send the body to the final URL: a redirect drops it. Or turn off what drops bodies for this path ${proxy}.`,
  'body-truncated': `Have the sender send the whole body. Or raise the size limit for this path ${proxy}.`,
  'body-compressed': `Have the sender send the body uncompressed, as it was signed. Or turn off the compression of requests for this path ${proxy}.`,
  'body-trimmed': `Have the sender sign exactly the bytes that it sends, with nothing between body and timestamp. Or turn off trimming for this path ${proxy}.`,
  'body-with-timestamp': 'Have the sender put the timestamp into its header only, not at the end of the body.',
};

/** The finding, with the fix for a body that was read on arrival: only the sender or a proxy can have changed it. */
export function asArrived(finding: Finding, readBy: ReadBy | undefined): Finding {
  const { cause } = finding;
  if (readBy === undefined || !Object.hasOwn(bodyFaults, cause)) return finding;
  return { ...finding, fix: `${FIXES[cause] ?? changed}${readBy === 'receiver' ? filled : ''}` };
}
