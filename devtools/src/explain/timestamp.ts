import type { Candidate, Fault } from './finding.js';
import { isTimestamp, parted, withoutQuotes } from './text.js';

const service = 'The service sends Unix seconds in decimal digits, and signs the body followed by exactly that text.';

const faults = {
  whitespace: {
    cause: 'timestamp-whitespace',
    what: 'The timestamp has white space or quotes around it.',
    fix: 'Pass the header as the framework returns it, or trim it where you copy it.',
  },
  prefixed: {
    cause: 'timestamp-prefixed',
    what: 'The timestamp has a prefix, as in t=….',
    fix: `Send and sign only the digits. ${service}`,
  },
  repeated: {
    cause: 'timestamp-repeated',
    what: 'The timestamp header was sent more than once, and its values were joined with a comma.',
    fix: 'Find what sets it a second time (a proxy that copies headers, headers.append in a client) and set it once.',
  },
  units: {
    cause: 'timestamp-milliseconds',
    what: 'The timestamp is in milliseconds (or smaller units), in its header or in the signed text. Both must be in seconds.',
    fix: `Use Math.floor(Date.now() / 1000) for the header and for what is signed. ${service}`,
  },
  reformatted: {
    cause: 'timestamp-reformatted',
    what: 'The timestamp has the wrong format, in its header or in the signed text: a date, a decimal, leading zeros, an exponent or a sign.',
    fix: `Pass the text of the header unchanged: no Number(…), new Date(…) or toISOString() before the HMAC. ${service}`,
  },
  type: {
    cause: 'timestamp-not-text',
    what: 'The timestamp is a number or a date; the header is text, and that text is signed.',
    fix: 'Pass the header as received, without Number(…) or new Date(…).',
  },
  inSignature: {
    cause: 'timestamp-in-signature',
    what: 'The signed timestamp is in the signature header, as in Stripe webhooks (t=…,v1=…).',
    fix: `Send it in the timestamp header. ${service}`,
  },
  unsigned: {
    cause: 'timestamp-not-signed',
    what: 'The signature covers only the body: the timestamp was not signed.',
    fix: 'Sign the timestamp too: hmac.update(rawBody).update(timestamp). Without it, anybody could replay an old delivery.',
  },
  first: {
    cause: 'timestamp-first',
    what: 'The timestamp was signed before the body; it must follow the body.',
    fix: 'Sign in the other order: hmac.update(rawBody).update(timestamp).',
  },
  separator: {
    cause: 'timestamp-separator',
    what: 'The signed text has a separator between the body and the timestamp.',
    fix: 'Sign body and timestamp with nothing in between: hmac.update(rawBody).update(timestamp), without a dot or a line break.',
  },
  firstSeparator: {
    cause: 'timestamp-first-separator',
    what: 'The timestamp was signed before the body, with a separator, as Stripe, Slack and Svix do.',
    fix: 'Sign the body, then the timestamp, and nothing in between: hmac.update(rawBody).update(timestamp). If another service sent it, use its own library.',
  },
  missing: {
    cause: 'timestamp-missing',
    what: 'The timestamp is missing, and the signature was made with one (or without any).',
    fix: 'Pass the timestamp header on. If it was not received, check that the proxy in front lets it through, and that the option headers names the headers of your service (serviceHeaders or multibaasHeaders).',
  },
  other: {
    cause: 'timestamp-of-another-delivery',
    what: 'Body, signature and secret belong together, but the timestamp belongs to another attempt or delivery.',
    fix: 'Take all three from the same request. A retry has a new signature: keep no header of the first attempt, and create the timestamp once, for the header and the HMAC.',
  },
} satisfies Record<string, Fault>;

export const timestampFaults: Record<keyof typeof faults, Fault> = faults;

const DIGITS = /^[0-9]+$/;

/** The fault in the form of a timestamp; undefined if it is canonical. */
export function formOfTimestamp(text: string): Fault | undefined {
  const canonical: boolean = isTimestamp(text);
  if (canonical) return undefined;
  if (text === '') return faults.missing;
  if (text.trim() !== text || /^["'`]/.test(text)) return faults.whitespace;
  if (/^[a-z]+\s*[=:]/i.test(text)) return faults.prefixed;
  if (/^[0-9]{10,}\s*[,;]\s*[0-9]{10,}$/.test(text)) return faults.repeated;
  return DIGITS.test(text) && !text.startsWith('0') ? faults.units : faults.reformatted;
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
export function readTimestamp(text: string, inSignature?: string): Candidate<string>[] {
  if (text === '' && inSignature === undefined) return [];
  const found = new Map<string, readonly Fault[]>();
  const add = (value: string, ...more: readonly Fault[]) => {
    if (value !== '' && !found.has(value)) found.set(value, more);
  };
  const form = formOfTimestamp(text);
  add(text, ...(form ? [form] : []));
  const bare = withoutQuotes(text.trim()).trim();
  add(bare, faults.whitespace);
  add(text.replace(/^[a-z]+\s*[=:]\s*/i, ''), faults.prefixed);
  const parts = parted(text, /[,;]/);
  if (parts.length > 1 && parts.every((part) => part.length >= 8)) add(parts[0] as string, faults.repeated);
  if (inSignature !== undefined) add(inSignature, faults.inSignature);
  const seconds = parsed(bare);
  // Smaller units have more digits.
  for (const unit of [1e3, 1e6, 1e9]) if (seconds / unit > 1e8) add(String(Math.floor(seconds / unit)), faults.units);
  if (!(seconds > 0 && seconds < 1e11)) return listOf(found);
  add(String(Math.floor(seconds)), faults.reformatted);
  for (const unit of ['000', '000000', '000000000']) add(`${Math.floor(seconds)}${unit}`, faults.units);
  for (const each of formats(Math.floor(seconds))) add(each, faults.reformatted);
  return listOf(found);
}

const listOf = (found: ReadonlyMap<string, readonly Fault[]>): Candidate<string>[] =>
  Array.from(found, ([value, each]) => ({ value, faults: each }));

/** Separators between body and timestamp. A line break is more often part of the body, so it is not listed. */
const SEPARATORS = ['.', ':', ',', '|', ' ', '-'];

/** Possible signed texts after the body, instead of the timestamp. */
export function behindBody(text: string): Candidate<string>[] {
  if (text === '') return [{ value: '', faults: [faults.missing] }];
  const separated = SEPARATORS.map((separator) => ({ value: separator + text, faults: [faults.separator] }));
  return [{ value: '', faults: [faults.unsigned] }, ...separated];
}

/** Possible signed texts before the body, with none after it. */
export function beforeBody(text: string): Candidate<string>[] {
  if (text === '') return [];
  const separated = [`${text}.`, `${text}:`, `${text}\n`, `v0:${text}:`];
  return [
    { value: text, faults: [faults.first] },
    ...separated.map((value) => ({ value, faults: [faults.firstSeparator] })),
  ];
}

/** Seconds near the header's time: that of another attempt, or a clock that was read twice. */
const NEAR_SECONDS = 300;

/** Possible clock times when another timestamp was signed, in seconds or milliseconds. */
export function* otherTimes(text: string): Generator<Candidate<string>> {
  const seconds = Number(text);
  if (!isTimestamp(text) || seconds > 1e11) return;
  for (let distance = 1; distance <= NEAR_SECONDS; distance++) {
    yield { value: String(seconds + distance), faults: [faults.other] };
    yield { value: String(seconds - distance), faults: [faults.other] };
  }
  for (let ms = seconds * 1000; ms < seconds * 1000 + 1000; ms++) yield { value: String(ms), faults: [faults.units] };
}
