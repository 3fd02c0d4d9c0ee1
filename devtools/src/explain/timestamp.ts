import { type Candidate, type Fault, faultsOf, headerNames } from './finding.js';
import { isTimestamp, parted, withoutQuotes } from './text.js';

const service = 'The service sends Unix seconds in decimal digits, and signs the body followed by exactly that text.';

const faults = faultsOf({
  'timestamp-whitespace': [
    'The timestamp has white space or quotes around it.',
    'Pass the header as the framework returns it, or trim it where you copy it.',
  ],
  'timestamp-prefixed': ['The timestamp has a prefix, as in t=….', `Send and sign only the digits. ${service}`],
  'timestamp-repeated': [
    'The timestamp header was sent more than once, and its values were joined with a comma.',
    'Find what sets it a second time (a proxy that copies headers, headers.append in a client) and set it once.',
  ],
  'timestamp-milliseconds': [
    'The timestamp is in milliseconds (or smaller units), in its header or in the signed text. Both must be in seconds.',
    `Use Math.floor(Date.now() / 1000) for the header and for what is signed. ${service}`,
  ],
  'timestamp-reformatted': [
    'The timestamp has the wrong format, in its header or in the signed text: a date, a decimal, leading zeros, an exponent or a sign.',
    `Pass the text of the header unchanged: no Number(…), new Date(…) or toISOString() before the HMAC. ${service}`,
  ],
  'timestamp-not-signed': [
    'The signature covers only the body: the timestamp was not signed.',
    'Sign the timestamp too: hmac.update(rawBody).update(timestamp). Without it, anybody could replay an old delivery.',
  ],
  'timestamp-first': [
    'The timestamp was signed before the body, as Stripe, Slack and Svix do.',
    'Sign the body, then the timestamp, and nothing in between: hmac.update(rawBody).update(timestamp). If another service sent it, use its own library.',
  ],
  'timestamp-separator': [
    'The signed text has a separator between the body and the timestamp.',
    'Sign body and timestamp with nothing in between: hmac.update(rawBody).update(timestamp), without a dot or a line break.',
  ],
  'timestamp-missing': [
    'The timestamp is missing.',
    `Pass the timestamp header on, and check that proxies let it through. ${headerNames}`,
  ],
  'timestamp-of-another-delivery': [
    'Body, signature and secret belong together, but the timestamp belongs to another attempt or delivery.',
    'Take all three from the same request. A retry has a new signature: keep no header of the first attempt, and create the timestamp once, for the header and the HMAC.',
  ],
});

export { faults as timestampFaults };

const DIGITS = /^[0-9]+$/;

/** The fault in the form of a timestamp; undefined if it is canonical. */
export function formOfTimestamp(text: string): Fault | undefined {
  const canonical: boolean = isTimestamp(text);
  if (canonical) return undefined;
  if (text === '') return faults['timestamp-missing'];
  if (text.trim() !== text || /^["'`]/.test(text)) return faults['timestamp-whitespace'];
  if (/^[a-z]+\s*[=:]/i.test(text)) return faults['timestamp-prefixed'];
  if (/^[0-9]{10,}\s*[,;]\s*[0-9]{10,}$/.test(text)) return faults['timestamp-repeated'];
  return DIGITS.test(text) && !text.startsWith('0')
    ? faults['timestamp-milliseconds']
    : faults['timestamp-reformatted'];
}

/** Other forms in which programs write a time in seconds. */
function formats(seconds: number): string[] {
  const iso = new Date(seconds * 1000).toISOString();
  return [iso, `${iso.slice(0, 19)}Z`, iso.slice(0, 19), new Date(seconds * 1000).toUTCString(), `${seconds}.0`];
}

/** Seconds of a timestamp in a common other form. */
function parsed(text: string): number {
  const number = Number(text.replaceAll(',', ''));
  if (text !== '' && Number.isFinite(number)) return Math.abs(number);
  return Date.parse(/[zZ]|[+-][0-9]{2}:?[0-9]{2}$|GMT/.test(text) ? text : `${text}Z`) / 1000;
}

/** Possible signed timestamps for a header, the unchanged one first. */
export function readTimestamp(text: string): Candidate<string>[] {
  const found = new Map<string, Candidate<string>>([[text, { value: text, fault: formOfTimestamp(text) }]]);
  const add = (fault: Fault, ...values: readonly string[]) => {
    for (const value of values) if (value !== '' && !found.has(value)) found.set(value, { value, fault });
  };
  const bare = withoutQuotes(text.trim()).trim();
  add(faults['timestamp-whitespace'], bare);
  add(faults['timestamp-prefixed'], text.replace(/^[a-z]+\s*[=:]\s*/i, ''));
  const parts = parted(text, /[,;]/);
  if (parts.length > 1 && parts.every((part) => part.length >= 8))
    add(faults['timestamp-repeated'], parts[0] as string);
  const seconds = parsed(bare);
  // Smaller units have more digits.
  const units = [1e3, 1e6, 1e9].filter((unit) => seconds / unit > 1e8);
  add(faults['timestamp-milliseconds'], ...units.map((unit) => String(Math.floor(seconds / unit))));
  if (seconds > 0 && seconds < 1e11) {
    const whole = Math.floor(seconds);
    add(faults['timestamp-reformatted'], String(whole), ...formats(whole));
    add(faults['timestamp-milliseconds'], ...['000', '000000', '000000000'].map((unit) => `${whole}${unit}`));
  }
  return [...found.values()];
}

/** Separators between body and timestamp. A line break is more often part of the body, so it is not listed. */
const SEPARATORS = ['.', ':', ',', '|', ' ', '-'];

/** Possible signed texts after the body, instead of the timestamp. */
export const behindBody = (text: string): Candidate<string>[] => [
  { value: '', fault: faults['timestamp-not-signed'] },
  ...SEPARATORS.map((separator) => ({ value: separator + text, fault: faults['timestamp-separator'] })),
];

/** Possible signed texts before the body, with none after it. */
export const beforeBody = (text: string): string[] => [text, `${text}.`, `${text}:`, `${text}\n`, `v0:${text}:`];

/** Seconds near the header's time: that of another attempt, or a clock that was read twice. */
const NEAR_SECONDS = 300;

/** Possible clock times when another timestamp was signed, in seconds or milliseconds. */
export function* otherTimes(text: string): Generator<Candidate<string>> {
  const seconds = Number(text);
  if (!isTimestamp(text) || seconds > 1e11) return;
  for (let distance = 1; distance <= NEAR_SECONDS; distance++) {
    yield { value: String(seconds + distance), fault: faults['timestamp-of-another-delivery'] };
    yield { value: String(seconds - distance), fault: faults['timestamp-of-another-delivery'] };
  }
  for (let ms = seconds * 1000; ms < seconds * 1000 + 1000; ms++)
    yield { value: String(ms), fault: faults['timestamp-milliseconds'] };
}
