import { type HeaderNames, type RawBody, serviceHeaders } from 'event-webhook-receiver/verify';
import { attempt } from '../guards.js';
import type { ReadBy } from './body-faults.js';
import { bodyFaults } from './body-faults.js';
import { utf8 } from './bytes.js';
import { type Fault, fault } from './finding.js';
import { type OtherHeaders, otherHeaders } from './other-headers.js';

/** The headers of a request: those of Node or Fetch, or pairs of names and values. */
export type RequestHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A delivery that does not verify, as received. */
export interface ExplainFailureOptions {
  /** The body that was verified. A parsed body is accepted and recognized. */
  readonly rawBody: RawBody;
  /** The signature header as received; undefined when it was missing. (Default: taken from `requestHeaders`.) */
  readonly signature?: string | undefined;
  /** The timestamp header as received; undefined when it was missing. (Default: taken from `requestHeaders`.) */
  readonly timestamp?: string | undefined;
  /** All headers of the request, to find out why the expected ones are missing. (Default: unknown.) */
  readonly requestHeaders?: RequestHeaders | undefined;
  /** The names of the two headers, as in the option of the receiver. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
  /** The secret, or secrets, that it was verified with. */
  readonly secret: string | readonly string[];
  /** The time of the verification, in Unix milliseconds. (Default: `Date.now`.) */
  readonly now?: number | (() => number) | undefined;
  /** Largest difference between timestamp and clock, in seconds. (Default: 300.) */
  readonly toleranceSeconds?: number | undefined;
  /** Secrets of your other webhooks by label; a finding names the label. (Default: none.) */
  readonly otherSecrets?: Readonly<Record<string, string>> | undefined;
}

/** A delivery, and how it was received. */
export interface Question extends ExplainFailureOptions {
  /** What read the body. (Default: unknown: a parser may have changed it.) */
  readonly readBy?: ReadBy | undefined;
  /** Whether the request was refused before its body was read: `rawBody` is not its body. (Default: false.) */
  readonly bodyUnread?: boolean | undefined;
}

/** A copy of the options, read once, so that they cannot throw or change. */
export interface ReadOptions {
  readonly body: Uint8Array;
  readonly signature: string;
  readonly timestamp: string;
  /** A part that is not of its type, such as a parsed body. */
  readonly mistyped?: Fault | undefined;
  /** Why the expected headers are missing, if all headers of the request are known. */
  readonly other?: OtherHeaders | undefined;
  readonly secrets: readonly string[];
  readonly others: readonly (readonly [label: string, secret: string])[];
  readonly now: number;
  readonly toleranceSeconds: number;
  readonly readBy: ReadBy | undefined;
  readonly bodyUnread: boolean;
}

const LONGEST_HEADER = 8192;
const MOST_SECRETS = 8;
const MOST_OTHERS = 64;
const MOST_HEADERS = 200;

/** Reads each option once. Never throws: options that cannot be read count as missing. */
export const readOptions = (options: unknown): ReadOptions => attempt(() => read(Object(options))) ?? read({});

function read(options: { readonly [Name in keyof Question]?: unknown }): ReadOptions {
  const { rawBody, secret, signature, timestamp, requestHeaders, headers } = options;
  const { now, toleranceSeconds, otherSecrets, readBy, bodyUnread } = options;
  const found = inHeaders(requestHeaders, { ...serviceHeaders, ...(headers as HeaderNames) });
  const given = { signature: signature ?? found?.signature, timestamp: timestamp ?? found?.timestamp };
  const secrets = [secret].flat().slice(0, MOST_SECRETS);
  const body = bytesOf(rawBody);
  return {
    body: body ?? new Uint8Array(),
    signature: textOf(given.signature) ?? '',
    timestamp: textOf(given.timestamp) ?? '',
    mistyped: body === undefined ? bodyFaults['body-parsed'] : notText({ ...given, secret: secrets.at(-1) }),
    // A caller that passes both parts knows the headers.
    other: signature === undefined || timestamp === undefined ? found?.other : undefined,
    secrets: secrets.filter((each) => typeof each === 'string' && each !== '') as string[],
    others: Object.entries(otherSecrets ?? {})
      .slice(0, MOST_OTHERS)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
    now: numberOf(now) ?? Date.now(),
    toleranceSeconds: Math.max(0, numberOf(toleranceSeconds) ?? 300),
    readBy: readBy as ReadBy | undefined,
    bodyUnread: bodyUnread === true,
  };
}

/** The bytes of a body, empty if it is missing; undefined for a value of another type. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (value === undefined || value === null) return new Uint8Array();
  if (typeof value === 'string') return utf8(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  // DataView recognizes buffers of every realm.
  return attempt(() => new Uint8Array(new DataView(value as ArrayBuffer).buffer).slice());
}

/** A header as text: several are joined as in HTTP. */
function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.slice(0, 8).join(', ') : value;
  return typeof text === 'string' && text.length <= LONGEST_HEADER ? text : undefined;
}

/** The fault of the first part that is neither text nor missing. */
function notText(parts: Readonly<Record<string, unknown>>): Fault | undefined {
  const wrong = Object.entries(parts).find(
    ([, value]) => (value ?? '') !== '' && !Array.isArray(value) && typeof value !== 'string',
  );
  if (wrong === undefined) return undefined;
  const [name, value] = wrong;
  return fault(
    `${name}-not-text`,
    `The ${name} is ${typeof value === 'number' ? 'a number' : 'not a string'}; the library takes a string.`,
    'Pass the text as received or as shown, without Number(…), new Date(…) or Buffer.from(…).',
  );
}

function numberOf(value: unknown): number | undefined {
  const number: unknown = typeof value === 'function' ? value() : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The signature and timestamp from all headers, under the expected or the actual names. */
function inHeaders(value: unknown, expected: HeaderNames) {
  if (typeof value !== 'object' || value === null) return undefined;
  const all = Symbol.iterator in value ? Array.from(value as Iterable<unknown>) : Object.entries(value);
  const lines = all.slice(0, MOST_HEADERS).flatMap((line): [string, string][] => {
    const [name, text] = [Object(line)[0], textOf(Object(line)[1])];
    return typeof name === 'string' && text !== undefined ? [[name, text]] : [];
  });
  const other = otherHeaders(
    lines.map(([name]) => name),
    expected,
  );
  /** A header as the receiver sees it: repeated values are joined. */
  const textUnder = (name: string) => {
    const values = lines.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, text]) => text);
    return values.length === 0 ? undefined : values.join();
  };
  const names = other?.names ?? expected;
  return { signature: textUnder(names.signature), timestamp: textUnder(names.timestamp), other };
}
