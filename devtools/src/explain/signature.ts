import { fromBase64, fromHex, sameBytes } from './bytes.js';
import { type Fault, fault, faultsOf, headerNames } from './finding.js';
import { parted, withoutQuotes } from './text.js';

/** A possible reading of a signature header. */
export interface Reading {
  readonly bytes: Uint8Array;
  readonly faults: readonly Fault[];
}

const service = 'The service sends 64 hex digits and nothing else.';

const faults = faultsOf({
  'signature-missing': [
    'The signature is missing.',
    `Pass the signature header on, and check that proxies let it through. ${headerNames}`,
  ],
  'signature-masked': [
    'The signature is masked or a placeholder.',
    'Take it from the request itself: logs and traces mask signatures.',
  ],
  'signature-of-another-scheme': [
    'The signature has the format of another service (GitHub: sha256=; Stripe: t=,v1=; Svix: v1,; Slack: v0=).',
    `Verify it with the library of that service, or read the right header. ${service} ${headerNames}`,
  ],
  'signature-form': ['The signature is not 64 hex digits.', `${service} ${headerNames}`],
  'signature-whitespace': [
    'The signature has leading or trailing white space.',
    `Pass the header as the framework returns it, or trim it where you copy it. ${service}`,
  ],
  'signature-quoted': [
    'The signature is in quotes.',
    'Remove the quotes where the header is written or copied: JSON.stringify of a string, or a shell variable, adds them.',
  ],
  'signature-prefixed': [
    'The signature has a prefix such as sha256= or v1=, as GitHub and Stripe write it.',
    `Send only the digits. ${service} If the header is another service's, verify it with that service's library.`,
  ],
  'signature-repeated': [
    'The signature header was sent more than once, and its values were joined with a comma.',
    'Find what sets it a second time (a proxy that copies headers, headers.append in a client) and set it once.',
  ],
  'signature-base64': [
    'The signature is in base64 or base64url.',
    "Sign with digest('hex') instead of digest('base64') or digest('base64url'). The service writes hex.",
  ],
  'signature-truncated': [
    'The signature has too few digits: it was truncated.',
    'Look for what truncates it: a database column, a log line, a slice, a header limit of a proxy. All 64 digits are required.',
  ],
  'signature-longer': [
    'More characters follow the 64 digits of the signature.',
    'Remove what follows the digits. A receiver must not accept extra characters after a signature.',
  ],
});

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
    add(layer, layer.text.trim(), faults['signature-whitespace']);
    add(layer, withoutQuotes(layer.text), faults['signature-quoted']);
    add(layer, layer.text.replace(PREFIX, ''), faults['signature-prefixed']);
    // t=…,v1=… of Stripe, and v1,… of Svix, of which there may be several with a space between them.
    for (const [, part = ''] of layer.text.matchAll(/(?<![^,;\s])v[0-9]+[=,]([^,; ]+)/g))
      add(layer, part, faults['signature-prefixed']);
    const parts = parted(layer.text, /[,;\n]/);
    const isRepeated = new Set(parts).size < parts.length || parts.every((part) => part.length >= 40);
    if (parts.length > 1 && isRepeated) for (const part of parts) add(layer, part, faults['signature-repeated']);
  }
  return layers;
}

const LENGTHS = [20, 32, 48, 64];
const isWhole = (bytes: Uint8Array | undefined): bytes is Uint8Array => LENGTHS.includes(bytes?.length ?? 0);

/** The bytes of a text, by its form. */
function decoded({ text, faults: before }: Layer): Reading[] {
  const hex = fromHex(text);
  if (isWhole(hex)) return [{ bytes: hex, faults: before }];
  const base64 = fromBase64(text.replaceAll(' ', '+'));
  if (isWhole(base64)) return [{ bytes: base64, faults: [...before, faults['signature-base64']] }];
  const digits = fromHex(/^[0-9a-f]{64}/i.exec(text)?.[0] ?? '');
  return digits ? [{ bytes: digits, faults: [...before, faults['signature-longer']] }] : [];
}

/** All readings of a signature header, the ones with the fewest faults first. */
export function readSignature(given: string): Reading[] {
  const cost = ({ faults: found }: Reading) => found.length + (found.includes(faults['signature-longer']) ? 3 : 0);
  return undress(given)
    .flatMap(decoded)
    .sort((a, b) => cost(a) - cost(b));
}

const HASHES: Readonly<Record<number, string>> = { 20: 'SHA-1', 48: 'SHA-384', 64: 'SHA-512' };
const MASKED = /^(?:\*{3,}|\[?redacted\]?|…|\.{3}|<.*>|undefined|null)/i;

/** Unproven faults in the form of a signature; `[]` for an HMAC-SHA256 in hex. */
export function formOfSignature(signature: string): readonly Fault[] {
  if (signature === '') return [faults['signature-missing']];
  const text = signature.trim();
  if (MASKED.test(text)) return [faults['signature-masked']];
  if (/^(?:t=[0-9]+|v[0-9]+,)/.test(text)) return [faults['signature-of-another-scheme']];
  const readings = readSignature(signature);
  const isLonger = ({ faults: found }: Reading) => found.includes(faults['signature-longer']);
  const [seen] = readings.filter((reading) => !isLonger(reading));
  const whole = readings.find((reading) => reading.bytes.length === 32 && !isLonger(reading));
  if (whole) return whole.faults;
  if (seen) {
    const what = `The signature has the length of ${HASHES[seen.bytes.length]}, not of HMAC-SHA256: another hash was used, or it was truncated.`;
    const fix = `Sign with HMAC-SHA256, and look for what truncates the header. ${service}`;
    return [...seen.faults, fault('signature-other-hash', what, fix)];
  }
  const digits = undress(text).find((layer) => /^[0-9a-f]{1,63}$/i.test(layer.text));
  if (digits) return [...digits.faults, faults['signature-truncated']];
  if (readings[0]) return readings[0].faults;
  return [faults[/^(?:v[0-9]+|sha[0-9]+)=/.test(text) ? 'signature-of-another-scheme' : 'signature-form']];
}

/** The reading that matches a computed signature, if any. */
export const fitting = (readings: readonly Reading[], mac: Uint8Array): Reading | undefined =>
  readings.find(({ bytes }) => sameBytes(bytes, mac));
