import { fromBase64, fromCodes, fromHex } from './bytes.js';
import type { Fault } from './finding.js';
import { parted, withoutQuotes } from './text.js';

/** A possible reading of a signature header. */
export interface Reading {
  readonly bytes: Uint8Array;
  /** Whether the bytes are complete; otherwise they are a prefix. */
  readonly whole: boolean;
  readonly faults: readonly Fault[];
}

const service = 'The service sends 64 hex digits and nothing else.';

const faults = {
  whitespace: {
    cause: 'signature-whitespace',
    what: 'The signature has leading or trailing white space.',
    fix: `Pass the header as the framework returns it, or trim it where you copy it. ${service}`,
  },
  quotes: {
    cause: 'signature-quoted',
    what: 'The signature is in quotes.',
    fix: 'Remove the quotes where the header is written or copied: JSON.stringify of a string, or a shell variable, adds them.',
  },
  prefix: {
    cause: 'signature-prefixed',
    what: 'The signature has a prefix such as sha256= or v1=, as GitHub and Stripe write it.',
    fix: `Send only the digits. ${service} If the header is another service's, verify it with that service's library.`,
  },
  repeated: {
    cause: 'signature-repeated',
    what: 'The signature header was sent more than once, and its values were joined with a comma.',
    fix: 'Find what sets it a second time (a proxy that copies headers, headers.append in a client) and set it once.',
  },
  base64: {
    cause: 'signature-base64',
    what: 'The signature is in base64.',
    fix: "Sign with digest('hex') instead of digest('base64'). The service writes hex.",
  },
  base64url: {
    cause: 'signature-base64url',
    what: 'The signature is in base64url.',
    fix: "Sign with digest('hex') instead of digest('base64url'). The service writes hex.",
  },
  bytes: {
    cause: 'signature-not-text',
    what: 'The signature is bytes; the header is text.',
    fix: 'Pass the header as text. Do not decode it from hex.',
  },
  twice: {
    cause: 'signature-encoded-twice',
    what: 'The signature was encoded twice: the text of a signature was encoded again.',
    fix: "Take the text of digest('hex') unchanged, without Buffer.from(…).toString.",
  },
  separated: {
    cause: 'signature-separated',
    what: 'The hex digits of the signature are separated.',
    fix: `Remove everything between the digits. ${service}`,
  },
  percent: {
    cause: 'signature-url-encoded',
    what: 'The signature is URL-encoded.',
    fix: 'Pass the header as received, without encodeURIComponent: a header is not a query.',
  },
  truncated: {
    cause: 'signature-truncated',
    what: 'The signature was truncated: its beginning is right, and its end is missing.',
    fix: 'Look for what truncates it: a database column, a log line, a slice, a header limit of a proxy. All 64 digits are required.',
  },
  longer: {
    cause: 'signature-longer',
    what: 'The first 64 digits of the signature are right, and more characters follow.',
    fix: 'Remove what follows the digits. A receiver must not accept extra characters after a signature.',
  },
} satisfies Record<string, Fault>;

const PREFIX =
  /^(?:hmac[-_ ]?)?(?:sha-?(?:1|256|384|512)|v[0-9]|hmac|hex|0x|sig|signature|base64|digest)?(?:[=:, ]\s*|(?<=^0x))/i;
const SHORTEST = 8;

interface Layer {
  readonly text: string;
  readonly faults: readonly Fault[];
}

/** Removes what surrounds a signature; each result with the faults that it undoes. */
function undress(text: string): Layer[] {
  const layers: Layer[] = [{ text, faults: [] }];
  const add = (from: Layer, next: string, fault: Fault) => {
    if (next === from.text || next === '' || layers.length >= 24) return;
    layers.push({ text: next, faults: from.faults.includes(fault) ? from.faults : [...from.faults, fault] });
  };
  // The list grows while it is gone through: quotes may stand around a prefix, and white space around both.
  for (const layer of layers) {
    add(layer, layer.text.trim(), faults.whitespace);
    add(layer, withoutQuotes(layer.text), faults.quotes);
    add(layer, layer.text.replace(PREFIX, ''), faults.prefix);
    // t=…,v1=… of Stripe, and v1,… of Svix, of which there may be several with a space between them.
    for (const [, part = ''] of layer.text.matchAll(/(?<![^,;\s])v[0-9]+[=,]([^,; ]+)/g))
      add(layer, part, faults.prefix);
    const parts = parted(layer.text, /[,;\n]/);
    const different = new Set(parts);
    for (const part of different.size < parts.length ? different : []) add(layer, part, faults.repeated);
    if (parts.length === 2 && parts.every((part) => part.length >= 40)) {
      for (const part of parts) add(layer, part, faults.repeated);
    }
    if (/%[0-9a-f]{2}/i.test(layer.text)) add(layer, percentDecoded(layer.text), faults.percent);
    add(layer, withoutSeparators(layer.text), faults.separated);
  }
  return layers;
}

/** Hex digits that stand in pairs, put together; '' where there are none. */
function withoutSeparators(text: string): string {
  const separator = /^[0-9a-f]{2}([: -])/i.exec(text)?.[1];
  const pairs = separator === undefined ? [] : text.split(separator);
  return pairs.every((pair) => /^[0-9a-f]{2}$/i.test(pair)) ? pairs.join('') : '';
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

const LENGTHS = [20, 32, 48, 64];

/** The bytes of one text, by the form that it has. */
function decoded({ text, faults: before }: Layer): Reading[] {
  const readings: Reading[] = [];
  const add = (bytes: Uint8Array | undefined, whole: boolean, ...more: readonly Fault[]) => {
    if (bytes !== undefined && bytes.length >= SHORTEST) readings.push({ bytes, whole, faults: [...before, ...more] });
  };
  const hex = fromHex(text);
  const base64 = hex && hex.length === 32 ? undefined : fromBase64(text.replace(/ /g, '+'));
  const asBase64 = /[-_]/.test(text) || !/[+/= ]/.test(text) ? faults.base64url : faults.base64;
  if (hex && LENGTHS.includes(hex.length)) add(hex, true);
  if (base64 && LENGTHS.includes(base64.length)) add(base64, true, base64.length % 3 === 0 ? faults.base64 : asBase64);
  for (const outer of [hex, base64]) {
    if (!outer) continue;
    const inner = fromCodes(outer);
    const innerBytes = fromHex(inner) ?? (/^[A-Za-z0-9+/_-]{27,}=*$/.test(inner) ? fromBase64(inner) : undefined);
    if (innerBytes && LENGTHS.includes(innerBytes.length)) add(innerBytes, true, faults.twice);
  }
  const digits = text.slice(0, text.search(/[^0-9a-f]|$/i));
  if (digits.length > 64 || (digits.length === 64 && text.length > 64)) {
    add(fromHex(digits.slice(0, 64)), true, faults.longer);
  }
  if (digits.length < 64) add(fromHex(digits.slice(0, digits.length - (digits.length % 2))), false, faults.truncated);
  if (base64 && !LENGTHS.includes(base64.length) && base64.length < 32) add(base64, false, asBase64, faults.truncated);
  return readings;
}

/** Everything that a signature header can be read as: as it stands first, then by fewer faults. */
export function readSignature(given: string | Uint8Array | undefined): Reading[] {
  if (given === undefined) return [];
  if (typeof given !== 'string') {
    const asText = decoded({ text: fromCodes(given), faults: [faults.bytes] });
    return [{ bytes: given, whole: true, faults: [faults.bytes] }, ...asText];
  }
  return undress(given)
    .flatMap(decoded)
    .sort((a, b) => order(a) - order(b))
    .slice(0, 48);
}

/** Fewer faults first; what takes only a part of the text, last. */
const order = (reading: Reading) =>
  reading.faults.length + (reading.faults.includes(faults.longer) || !reading.whole ? 3 : 0);

const HASHES: Readonly<Record<number, string>> = { 20: 'SHA-1', 28: 'SHA-224', 48: 'SHA-384', 64: 'SHA-512' };

const tooShort: Fault = {
  cause: 'signature-truncated',
  what: 'The signature has too few digits: it was truncated.',
  fix: faults.truncated.fix,
};

/**
 * What the form of a signature shows, where nothing proves it; `[]` if it is that of an HMAC-SHA256 in hex, and undefined
 * if it is unknown.
 */
export function formOfSignature(text: string): readonly Fault[] | undefined {
  const readings = readSignature(text).filter(({ whole, faults: each }) => whole && !each.includes(faults.longer));
  const [whole] = readings.filter(({ bytes }) => bytes.length === 32);
  if (whole) return whole.faults;
  const digits = undress(text).find((layer) => /^[0-9a-f]{1,128}$/i.test(layer.text));
  const seen = digits ?? readings[0];
  if (seen === undefined) return undefined;
  const name = HASHES['bytes' in seen ? seen.bytes.length : seen.text.length / 2];
  const what = `The signature has the length of ${name}, not of HMAC-SHA256: another hash was used, or it was truncated.`;
  const fix = `Sign with HMAC-SHA256, and look for what truncates the header. ${service}`;
  if (name !== undefined) return [...seen.faults, { cause: 'signature-other-hash', what, fix }];
  return digits && digits.text.length < 64 ? [...digits.faults, tooShort] : undefined;
}

/** The reading that matches a computed signature, if any. */
export function fitting(readings: readonly Reading[], mac: Uint8Array): Reading | undefined {
  return readings.find(
    ({ bytes, whole }) =>
      (whole ? bytes.length === mac.length : bytes.length < mac.length) && bytes.every((byte, at) => byte === mac[at]),
  );
}

/** The time in a header such as t=…,v1=…. */
export function timeInSignature(text: string): string | undefined {
  return /(?<![^,;\s])t=([0-9]{1,16})(?![^,; ])/.exec(text)?.[1];
}
