import { type HeaderNames, type RawBody, serviceHeaders } from 'event-webhook-receiver/verify';
import { goJson } from './body.js';
import { attempt, utf8 } from './bytes.js';
import type { Candidate, Fault } from './finding.js';
import type { ReadBy } from './in-transit.js';
import { type OtherHeaders, otherHeaders } from './other-headers.js';
import { timestampFaults } from './timestamp.js';

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
  /** Whether `requestHeaders` is incomplete, because the host cannot list headers. (Default: false.) */
  readonly someHeaders?: boolean | undefined;
}

/** A copy of the options, read once, so that they cannot throw or change. */
export interface ReadOptions {
  readonly body: Candidate<Uint8Array>;
  readonly signature: string | Uint8Array | undefined;
  readonly timestamp: Candidate<string>;
  /** Why the expected headers are missing, if all headers of the request are known. */
  readonly other?: OtherHeaders | undefined;
  readonly secrets: readonly (string | Uint8Array)[];
  readonly others: readonly (readonly [label: string, secret: string])[];
  readonly now: number;
  readonly toleranceSeconds: number;
  readonly readBy: ReadBy | undefined;
  readonly bodyUnread: boolean;
}

const raw =
  "Pass the raw bytes: in Express, req.body after express.raw({ type: 'application/json' }); in Fetch, await request.arrayBuffer(); in Lambda, event.body.";

const parsed: Fault = {
  cause: 'body-parsed',
  what: 'The body is a parsed value, not bytes or text.',
  fix: `${raw} In Express, mount the route before app.use(express.json()).`,
};

function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  // DataView recognizes buffers of every realm.
  return attempt(() => new Uint8Array(new DataView(value as ArrayBuffer).buffer).slice());
}

function readBody(value: unknown): Candidate<Uint8Array> {
  const bytes = typeof value === 'string' ? utf8(value) : bytesOf(value);
  if (bytes) return { value: bytes, faults: [] };
  if (value === undefined || value === null) return { value: new Uint8Array(), faults: [] };
  return { value: utf8(attempt(() => goJson(value)) ?? ''), faults: [parsed] };
}

const LONGEST_HEADER = 8192;

/** A header as text: several are joined as in HTTP. */
function readHeader(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.slice(0, 8).join(', ') : value;
  return typeof text === 'string' && text.length <= LONGEST_HEADER ? text : undefined;
}

function readTimestamp(value: unknown): Candidate<string> {
  const text = value instanceof Date ? value.toISOString() : typeof value === 'number' ? String(value) : undefined;
  if (text !== undefined) return { value: text, faults: [timestampFaults.type] };
  return { value: readHeader(value) ?? '', faults: [] };
}

const MOST_SECRETS = 8;
const MOST_OTHERS = 64;

function readSecrets(value: unknown): (string | Uint8Array)[] {
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, MOST_SECRETS) : [value];
  return list.flatMap((each) => {
    const secret = typeof each === 'string' ? each : bytesOf(each);
    return secret?.length ? [secret] : [];
  });
}

const readOthers = (value: unknown): [string, string][] =>
  Object.entries(value ?? {})
    .slice(0, MOST_OTHERS)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '');

function readNumber(value: unknown, otherwise: number): number {
  const number: unknown = typeof value === 'function' ? value() : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : otherwise;
}

const MOST_HEADERS = 200;

function linesOf(value: object): [string, string][] {
  const lines = Symbol.iterator in value ? Array.from(value as Iterable<unknown>) : Object.entries(value);
  return lines.slice(0, MOST_HEADERS).flatMap((line): [string, string][] => {
    const [name, given] = line as [unknown, unknown];
    const text = readHeader(given);
    return typeof name === 'string' && text !== undefined ? [[name, text]] : [];
  });
}

/** The signature and timestamp from all headers, under the expected or the actual names. */
function inHeaders(value: unknown, expected: HeaderNames, isComplete: boolean) {
  if (typeof value !== 'object' || value === null) return undefined;
  const lines = linesOf(value);
  const all = lines.map(([name]) => name);
  const other = otherHeaders(all, expected, isComplete);
  const names = other?.names ?? expected;
  return { signature: textIn(lines, names.signature), timestamp: textIn(lines, names.timestamp), other };
}

/** A header as the receiver sees it: repeated values are joined. */
function textIn(lines: readonly (readonly [string, string])[], name: string): string | undefined {
  const values = lines.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join();
}

/** Reads each option once. Never throws: an unreadable option counts as missing. */
export function readOptions(options: unknown): ReadOptions {
  const field = (name: keyof Question): unknown => attempt(() => (options as Partial<Question>)[name]);
  const [lines, headers, isComplete] = [field('requestHeaders'), field('headers'), field('someHeaders') !== true];
  const found = attempt(() => inHeaders(lines, { ...serviceHeaders, ...(headers as HeaderNames) }, isComplete));
  const [given, time, secret] = [field('signature'), field('timestamp'), field('secret')];
  const [now, tolerance, others] = [field('now'), field('toleranceSeconds'), field('otherSecrets')];
  const signature = given ?? found?.signature;
  return {
    body: readBody(field('rawBody')),
    signature: attempt(() => readHeader(signature)) ?? bytesOf(signature)?.slice(0, LONGEST_HEADER),
    timestamp: attempt(() => readTimestamp(time ?? found?.timestamp)) ?? { value: '', faults: [] },
    // A caller that passes both parts knows the headers.
    other: given === undefined || time === undefined ? found?.other : undefined,
    secrets: attempt(() => readSecrets(secret)) ?? [],
    others: attempt(() => readOthers(others)) ?? [],
    now: attempt(() => readNumber(now, Date.now())) ?? Date.now(),
    toleranceSeconds: Math.max(0, attempt(() => readNumber(tolerance, 300)) ?? 300),
    readBy: field('readBy') as ReadBy | undefined,
    bodyUnread: field('bodyUnread') === true,
  };
}
