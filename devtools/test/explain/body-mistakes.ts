import { Digits, goJson } from './deliveries.js';
import { asPhp, asPython, body, bytes, type Mistake, parsed, sentBody, sortKeys } from './mistake.js';

export const bodyMistakes: readonly Mistake[] = [
  body('parsed and serialized again, which loses Go’s escapes', 'body-reserialized', (d) => JSON.stringify(parsed(d))),
  body('handed over as the parsed value', 'body-parsed', parsed),
  body('pretty-printed with two spaces', 'body-pretty-printed', (d) => JSON.stringify(parsed(d), null, 2)),
  body('pretty-printed with four spaces', 'body-pretty-printed', (d) => JSON.stringify(parsed(d), null, 4)),
  body(
    'pretty-printed with tabs, and a line break at the end',
    'body-pretty-printed',
    (d) => `${JSON.stringify(parsed(d), null, '\t')}\n`,
  ),
  body('serialized again by Python', 'body-reserialized', (d) => asPython(parsed(d))),
  body('serialized again by PHP, which escapes slashes', 'body-reserialized', (d) => asPhp(parsed(d))),
  sentBody(
    'escaped by us where the sender did not',
    'body-reserialized',
    (d) => JSON.stringify(parsed(d)),
    (sent) => goJson(JSON.parse(sent)),
  ),
  body('with sorted keys', 'body-keys-reordered', (d) => JSON.stringify(sortKeys(parsed(d)))),
  sentBody(
    'with a large number rounded in parsing',
    'body-numbers-rounded',
    ({ events }) => goJson([...events, { id: 'n', amount: new Digits('123456789012345678901') }]),
    (sent) => goJson(JSON.parse(sent)),
  ),
  body('with a line break added by an editor', 'body-whitespace-added', (d) => `${d.body}\n`),
  body('with a Windows line break added', 'body-whitespace-added', (d) => `${d.body}\r\n`),
  body('with white space in front', 'body-whitespace-added', (d) => `\n  ${d.body}`),
  sentBody(
    'trimmed of the line break at its end',
    'body-trimmed',
    (d) => `${d.body}\n`,
    (sent) => sent.trim(),
  ),
  sentBody(
    'trimmed of a Windows line break at its end',
    'body-trimmed',
    (d) => `${d.body}\r\n`,
    (sent) => sent.trim(),
  ),
  body('with a byte order mark added', 'body-bom-added', (d) => `\uFEFF${d.body}`),
  sentBody(
    'decoded, which drops the byte order mark',
    'body-bom-lost',
    (d) => `\uFEFF${d.body}`,
    (sent) => new TextDecoder().decode(bytes(sent)),
  ),
  body('decoded as Latin-1', 'body-latin1', (d) => bytes(d.body).toString('latin1')),
  body('decoded as Windows-1252', 'body-latin1', (d) => new TextDecoder('windows-1252').decode(bytes(d.body))),
  sentBody(
    'encoded as Latin-1',
    'body-latin1',
    () => '[{"name":"Größe"}]',
    (sent) => Buffer.from(sent, 'latin1'),
  ),
  body('in UTF-16', 'body-utf16', (d) => Buffer.from(d.body, 'utf16le')),
  body('in UTF-16 with a byte order mark', 'body-utf16', (d) => Buffer.from(`\uFEFF${d.body}`, 'utf16le')),
  body('decoded chunk by chunk, which leaves replacement characters', 'body-replacement-characters', (d) => {
    const all = bytes(d.body);
    const cut = all.findIndex((byte) => byte > 0x7f) + 1;
    return all.subarray(0, cut).toString() + all.subarray(cut).toString();
  }),
  body('serialized twice', 'body-double-encoded', (d) => JSON.stringify(d.body)),
  body('in base64, as Lambda gives it', 'body-base64', (d) => bytes(d.body).toString('base64')),
  body('in base64 with line breaks', 'body-base64', (d) => bytes(d.body).toString('base64').replace(/.{76}/g, '$&\n')),
  body('in hex', 'body-hex', (d) => bytes(d.body).toString('hex')),
  body('URL-encoded', 'body-url-encoded', (d) => encodeURIComponent(d.body)),
  body('as a form with one field', 'body-url-encoded', (d) => new URLSearchParams({ payload: d.body }).toString()),
  body('as a form without a name', 'body-url-encoded', (d) => new URLSearchParams({ [d.body]: '' }).toString()),
  body('parsed as a form into the key of an object', 'body-form-parsed', (d) => JSON.stringify({ [d.body]: '' })),
  body('parsed as a form that has null for a key without a value', 'body-form-parsed', (d) =>
    JSON.stringify({ [d.body]: null }),
  ),
  sentBody(
    'with its line breaks converted to CRLF',
    'body-line-endings',
    (d) => JSON.stringify(parsed(d), null, 2),
    (sent) => sent.replace(/\n/g, '\r\n'),
  ),
  body('as the JSON of a Buffer', 'body-buffer-serialized', (d) => JSON.stringify(bytes(d.body))),
  body('as String(bytes)', 'body-buffer-serialized', (d) => String(new Uint8Array(bytes(d.body)))),
  body('wrapped in an object', 'body-wrapped', (d) => JSON.stringify({ events: parsed(d) })),
  body('wrapped in another array', 'body-wrapped', (d) => `[${d.body}]`),
  body('as the whole event of a Lambda', 'body-lambda-event', (d) =>
    JSON.stringify({ version: '2.0', body: d.body, isBase64Encoded: false }),
  ),
  body('as the whole event of a Lambda, in base64', 'body-lambda-event', (d) =>
    JSON.stringify({ body: bytes(d.body).toString('base64'), isBase64Encoded: true }),
  ),
  sentBody(
    'as the event taken out of its array',
    'body-single-event',
    ({ events }) => goJson(events.slice(0, 1)),
    (sent) => sent.slice(1, -1),
  ),
  body('appended to itself', 'body-repeated', (d) => d.body + d.body),
  body('in a buffer that is too large', 'body-padded', (d) => Buffer.concat([bytes(d.body), Buffer.alloc(64)])),
  body('with the timestamp appended already', 'body-with-timestamp', (d) => d.body + d.timestamp),
  body('still compressed', 'body-compressed', (d) =>
    Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), bytes(d.body).reverse()]),
  ),
  body('cut at the end', 'body-truncated', (d) =>
    bytes(d.body)
      .subarray(0, Math.floor(d.body.length / 2))
      .toString('latin1')
      .replace(/[\x80-\xff]+/g, ''),
  ),
  body('empty, because something else read it', 'body-empty', () => ''),
  body('missing', 'body-empty', () => undefined),
  body('as a parser leaves what it did not read', 'body-consumed', () => '{}'),
  body('as the name of its type', 'body-stringified', (d) => String(parsed(d)).replace(/,.*/, '')),
];
