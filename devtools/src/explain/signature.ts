import { fromBase64, fromCodes, fromHex } from './bytes.js';
import { type Fault, fault } from './finding.js';
import { parted, withoutQuotes } from './text.js';

/** A possible reading of a signature header. */
export interface Reading {
  readonly bytes: Uint8Array;
  readonly faults: readonly Fault[];
}

const service = 'The service sends 64 hex digits and nothing else.';

const faults = {
  whitespace: fault(
    'signature-whitespace',
    'The signature has leading or trailing white space.',
    `Pass the header as the framework returns it, or trim it where you copy it. ${service}`,
  ),
  quotes: fault(
    'signature-quoted',
    'The signature is in quotes.',
    'Remove the quotes where the header is written or copied: JSON.stringify of a string, or a shell variable, adds them.',
  ),
  prefix: fault(
    'signature-prefixed',
    'The signature has a prefix such as sha256= or v1=, as GitHub and Stripe write it.',
    `Send only the digits. ${service} If the header is another service's, verify it with that service's library.`,
  ),
  repeated: fault(
    'signature-repeated',
    'The signature header was sent more than once, and its values were joined with a comma.',
    'Find what sets it a second time (a proxy that copies headers, headers.append in a client) and set it once.',
  ),
  base64: fault(
    'signature-base64',
    'The signature is in base64.',
    "Sign with digest('hex') instead of digest('base64'). The service writes hex.",
  ),
  base64url: fault(
    'signature-base64url',
    'The signature is in base64url.',
    "Sign with digest('hex') instead of digest('base64url'). The service writes hex.",
  ),
  bytes: fault(
    'signature-not-text',
    'The signature is bytes; the header is text.',
    'Pass the header as text. Do not decode it from hex.',
  ),
  twice: fault(
    'signature-encoded-twice',
    'The signature was encoded twice: the text of a signature was encoded again.',
    "Take the text of digest('hex') unchanged, without Buffer.from(…).toString.",
  ),
  truncated: fault(
    'signature-truncated',
    'The signature has too few digits: it was truncated.',
    'Look for what truncates it: a database column, a log line, a slice, a header limit of a proxy. All 64 digits are required.',
  ),
  longer: fault(
    'signature-longer',
    'More characters follow the 64 digits of the signature.',
    'Remove what follows the digits. A receiver must not accept extra characters after a signature.',
  ),
};

const PREFIX =
  /^(?:hmac[-_ ]?)?(?:sha-?(?:1|256|384|512)|v[0-9]|hmac|hex|0x|sig|signature|base64|digest)?(?:[=:, ]\s*|(?<=^0x))/i;

interface Layer {
  readonly text: string;
  readonly faults: readonly Fault[];
}

/** Removes text around a signature. Each result has the faults that it undoes. */
function undress(text: string): Layer[] {
  const layers: Layer[] = [{ text, faults: [] }];
  const add = (from: Layer, next: string, found: Fault) => {
    if (next === from.text || next === '' || layers.length >= 24) return;
    layers.push({ text: next, faults: from.faults.includes(found) ? from.faults : [...from.faults, found] });
  };
  // The list grows during the loop: quotes may surround a prefix, and white space both.
  for (const layer of layers) {
    add(layer, layer.text.trim(), faults.whitespace);
    add(layer, withoutQuotes(layer.text), faults.quotes);
    add(layer, layer.text.replace(PREFIX, ''), faults.prefix);
    // t=…,v1=… of Stripe, and v1,… of Svix, of which there may be several with a space between them.
    for (const [, part = ''] of layer.text.matchAll(/(?<![^,;\s])v[0-9]+[=,]([^,; ]+)/g))
      add(layer, part, faults.prefix);
    const parts = parted(layer.text, /[,;\n]/);
    const isRepeated = new Set(parts).size < parts.length || parts.every((part) => part.length >= 40);
    if (parts.length > 1 && isRepeated) for (const part of parts) add(layer, part, faults.repeated);
  }
  return layers;
}

const LENGTHS = [20, 32, 48, 64];
const isWhole = (bytes: Uint8Array | undefined): bytes is Uint8Array => LENGTHS.includes(bytes?.length ?? 0);

/** The bytes of a text, by its form. */
function decoded({ text, faults: before }: Layer): Reading[] {
  const hex = fromHex(text);
  const base64 = fromBase64(text.replaceAll(' ', '+'));
  for (const outer of [hex, base64]) {
    const inner = outer && fromCodes(outer);
    const bytes = inner && (fromHex(inner) ?? fromBase64(inner));
    if (bytes && isWhole(bytes)) return [{ bytes, faults: [...before, faults.twice] }];
  }
  if (isWhole(hex)) return [{ bytes: hex, faults: before }];
  const ofBase64 = /[-_]/.test(text) || !/[+/= ]/.test(text) ? faults.base64url : faults.base64;
  const isEither = (base64?.length ?? 0) % 3 === 0;
  if (isWhole(base64)) return [{ bytes: base64, faults: [...before, isEither ? faults.base64 : ofBase64] }];
  const digits = /^[0-9a-f]{64}/i.exec(text)?.[0];
  return digits ? [{ bytes: fromHex(digits) as Uint8Array, faults: [...before, faults.longer] }] : [];
}

/** All readings of a signature header, the ones with the fewest faults first. */
export function readSignature(given: string | Uint8Array | undefined): Reading[] {
  if (given === undefined) return [];
  if (typeof given !== 'string') return [{ bytes: given, faults: [faults.bytes] }];
  const cost = ({ faults: found }: Reading) => found.length + (found.includes(faults.longer) ? 3 : 0);
  return undress(given)
    .flatMap(decoded)
    .sort((a, b) => cost(a) - cost(b));
}

const HASHES: Readonly<Record<number, string>> = { 20: 'SHA-1', 48: 'SHA-384', 64: 'SHA-512' };

/**
 * Unproven findings from the form of a signature: `[]` for the form of an HMAC-SHA256 in hex, undefined for an unknown
 * form.
 */
export function formOfSignature(text: string): readonly Fault[] | undefined {
  const readings = readSignature(text);
  const whole = readings.find(({ bytes, faults: found }) => bytes.length === 32 && !found.includes(faults.longer));
  if (whole) return whole.faults;
  const [seen] = readings.filter(({ faults: found }) => !found.includes(faults.longer));
  if (seen) {
    const what = `The signature has the length of ${HASHES[seen.bytes.length]}, not of HMAC-SHA256: another hash was used, or it was truncated.`;
    const fix = `Sign with HMAC-SHA256, and look for what truncates the header. ${service}`;
    return [...seen.faults, fault('signature-other-hash', what, fix)];
  }
  const digits = undress(text).find((layer) => /^[0-9a-f]{1,63}$/i.test(layer.text));
  return digits ? [...digits.faults, faults.truncated] : readings[0]?.faults;
}

/** The reading that matches a computed signature, if any. */
export const fitting = (readings: readonly Reading[], mac: Uint8Array): Reading | undefined =>
  readings.find(({ bytes }) => bytes.length === mac.length && bytes.every((byte, at) => byte === mac[at]));

/** The time in a header such as t=…,v1=…. */
export const timeInSignature = (text: string): string | undefined =>
  /(?<![^,;\s])t=([0-9]{1,16})(?![^,; ])/.exec(text)?.[1];
