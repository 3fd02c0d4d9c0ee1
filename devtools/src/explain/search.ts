import { readBody } from './body.js';
import { whitespaceAdded, whitespaceLost } from './body-shape.js';
import { boundaryMoved, isBoundaryMoved } from './boundary.js';
import { sameBytes, textOf, utf8 } from './bytes.js';
import type { Candidate, Fault } from './finding.js';
import type { ReadOptions } from './options.js';
import { hmacSha256, otherSchemes, type Scheme } from './scheme.js';
import { readSecret, secretOf, withoutSecret } from './secret.js';
import { fitting, type Reading, readSignature, timeInSignature } from './signature.js';
import {
  beforeBody,
  behindBody,
  formOfTimestamp,
  near,
  readTimestamp,
  timestampFaults,
  withinSecond,
} from './timestamp.js';
import type { Work } from './work-limit.js';

/** One pass over a body with one key, and the timestamps to try after it. */
interface Pass {
  readonly body: Candidate<Uint8Array>;
  readonly key: Candidate<Uint8Array>;
  readonly scheme?: Scheme;
  readonly before?: Candidate<string>;
  readonly behind?: Iterable<Candidate<string>>;
  /** Tries only the most frequent timestamps: for passes that already undo two faults. */
  readonly brief?: boolean;
}

/** What is not in two parts, or in the parts of a large body, is not looked for. */
const LARGE = 512 * 1024;
const MOST_KEPT = 8 * 1024 * 1024;
/** Range in seconds in which another timestamp of the same delivery is searched. */
const NEAR_SECONDS = 3600;

/**
 * Searches for what was signed: single faults first, by frequency, then pairs, until the work limit. Returns the faults
 * that turned it into the given delivery.
 */
export function search(given: ReadOptions, work: Work): readonly Fault[] | undefined {
  const readings = readSignature(given.signature);
  if (readings.length === 0 || given.body.value.length === 0) return undefined;
  const times = timesOf(given);
  const ofOthers = new Map(given.others.map((other) => [secretOf(''), other]));
  for (const pass of passes(given, ofOthers, readings, work)) {
    const found = run(pass, { readings, times, timestamp: given.timestamp.value, work });
    if (found) return found.map((fault) => named(fault, ofOthers.get(fault)?.[0], given));
  }
  return undefined;
}

function timesOf({ body, signature, timestamp }: ReadOptions): Candidate<string>[] {
  const inSignature = typeof signature === 'string' ? timeInSignature(signature) : undefined;
  const times = readTimestamp(timestamp.value, inSignature);
  const [asGiven, ...others] = times;
  const moved = asGiven?.faults.length !== 0 && isBoundaryMoved(body.value, timestamp.value);
  if (!moved) return times.map(({ value, faults }) => ({ value, faults: [...timestamp.faults, ...faults] }));
  return [{ value: timestamp.value, faults: [boundaryMoved] }, ...others];
}

/** Secrets of other webhooks, by faults that do not name them yet: to make a label safe takes a look at every secret. */
type OfOthers = ReadonlyMap<Fault, ReadOptions['others'][number]>;

const named = (fault: Fault, label: string | undefined, given: ReadOptions) =>
  label === undefined ? fault : secretOf(safeLabel(label, given));

function* passes(given: ReadOptions, ofOthers: OfOthers, readings: readonly Reading[], work: Work): Generator<Pass> {
  const { body, timestamp, secrets } = given;
  const own = secrets.map((secret) => ({
    value: typeof secret === 'string' ? utf8(secret) : secret,
    faults: bytesFault(secret),
  }));
  for (const key of own) yield { body, key };
  const schemes = otherSchemes.filter(({ length }) =>
    readings.some(({ bytes, whole }) => (whole ? bytes.length === length : bytes.length < length)),
  );
  const [ofItsLength, ofAnyLength] = [
    schemes.filter(({ length }) => length !== 32),
    schemes.filter(({ length }) => length === 32),
  ];
  for (const scheme of ofItsLength) for (const key of own) yield { body, key, scheme };

  const keys = [
    ...Array.from(ofOthers, ([fault, [, secret]]) => ({ value: utf8(secret), faults: [fault] })),
    ...(secrets.length === 0 ? withoutSecret : secrets.flatMap(readSecret)),
  ];
  const kept: Candidate<Uint8Array>[] = [];
  let keptBytes = 0;
  const bodies = readBody(body.value, work);
  for (let at = 0, bodiesLeft = true; bodiesLeft || at < keys.length; at++) {
    const next = bodies.next();
    bodiesLeft = !next.done;
    if (!next.done) {
      const other = { value: next.value.value, faults: [...body.faults, ...next.value.faults] };
      for (const key of own) yield { body: other, key };
      keptBytes += other.value.length;
      if (body.value.length <= LARGE && keptBytes <= MOST_KEPT) kept.push(other);
    }
    const key = keys[at];
    if (key) yield { body, key };
  }
  const fronts = beforeBody(timestamp.value);
  for (const before of fronts) for (const key of own) yield { body, key, before };
  for (const scheme of ofAnyLength) for (const key of own) yield { body, key, scheme };
  for (const key of own) yield* otherTimes(given, key);
  if (body.value.length <= LARGE) yield* pairs({ given, own, keys, kept, schemes, work });
}

function* otherTimes({ body, timestamp, now }: ReadOptions, key: Candidate<Uint8Array>): Generator<Pass> {
  // A timestamp that is not canonical was another spelling of the one found, not that of another delivery.
  const fault = formOfTimestamp(timestamp.value) ?? timestampFaults.other;
  const seconds = Number(timestamp.value);
  if (Number.isSafeInteger(seconds) && seconds > 0) {
    yield { body, key, behind: withinSecond(seconds) };
    yield { body, key, behind: near(seconds, NEAR_SECONDS, fault) };
  }
  const present = Math.floor(now / 1000);
  if (present > 0) yield { body, key, behind: near(present, NEAR_SECONDS, fault) };
}

interface Parts {
  readonly given: ReadOptions;
  readonly own: readonly Candidate<Uint8Array>[];
  readonly keys: readonly Candidate<Uint8Array>[];
  readonly kept: readonly Candidate<Uint8Array>[];
  readonly schemes: readonly Scheme[];
  readonly work: Work;
}

/** How often what is made of a secret is as long as the secret. */
const READ = 64;

/** Faults in two parts, or two faults of one. */
function* pairs({ given: { body, timestamp }, own, keys, kept, schemes, work }: Parts): Generator<Pass> {
  const brief = true;
  for (const other of kept) for (const key of keys) yield { body: other, key, brief };
  for (const { value, faults } of keys) {
    if (!work.spend(READ * value.length)) return;
    const text = textOf(value);
    for (const key of text === undefined ? [] : readSecret(text)) {
      yield { body, key: { value: key.value, faults: [...faults, ...key.faults] }, brief };
    }
  }
  const fronts = beforeBody(timestamp.value);
  for (const before of fronts) {
    for (const key of keys) yield { body, key, before };
    for (const other of kept) for (const key of own) yield { body: other, key, before };
  }
  for (const scheme of schemes) {
    for (const key of keys) yield { body, key, scheme, brief };
    for (const other of kept) for (const key of own) yield { body: other, key, scheme, brief };
    for (const before of fronts) for (const key of own) yield { body, key, scheme, before };
  }
  for (const { value, faults } of kept) {
    for (const second of readBody(value, work)) {
      const other = { value: second.value, faults: [...faults, ...second.faults] };
      for (const key of own) yield { body: other, key, brief };
    }
  }
}

interface Tried {
  readonly readings: readonly Reading[];
  readonly times: readonly Candidate<string>[];
  readonly timestamp: string;
  readonly work: Work;
}

/** What hashing a timestamp and finishing takes, in bytes that could be hashed in the same time. */
const FINISH = 512;

function run(pass: Pass, { readings, times, timestamp, work }: Tried): readonly Fault[] | undefined {
  const { body, key, scheme = hmacSha256, before } = pass;
  const core = body.value.subarray(0, endOfText(body.value));
  // All of the body: the white space at its end is looked through, however much of it there is.
  if (!work.spend(body.value.length + key.value.length + FINISH)) return undefined;
  const hasher = scheme.start(key.value);
  if (before) hasher.update(utf8(before.value));
  hasher.update(core);
  for (const { tail, time } of ends(pass, times, timestamp, core)) {
    if (!work.spend(FINISH + tail.value.length + time.value.length + key.value.length)) return undefined;
    const whole = hasher.clone();
    whole.update(tail.value);
    whole.update(utf8(time.value));
    const reading = fitting(readings, scheme.finish(whole, key.value));
    if (!reading) continue;
    const timing = before?.faults ?? time.faults;
    const faults = [...body.faults, ...tail.faults, ...key.faults, ...timing, ...scheme.faults, ...reading.faults];
    return [...new Map(faults.map((fault) => [fault.cause, fault])).values()];
  }
  return undefined;
}

const isSpace = (byte: number | undefined) => byte === 0x0a || byte === 0x0d || byte === 0x20 || byte === 0x09;

/** The start of trailing white space in a body. */
function endOfText(body: Uint8Array): number {
  let end = body.length;
  while (end > 0 && isSpace(body[end - 1])) end--;
  return end;
}

const LOST = ['\n', '\r\n', ' ', '\n\n'].map((text) => ({ value: utf8(text), faults: [whitespaceLost] }));

const bodyWithTimestamp: Fault = {
  cause: 'body-with-timestamp',
  what: 'The timestamp is at the end of the body already: it was appended before.',
  fix: 'Pass only the body as rawBody. The library appends the timestamp.',
};

/** The suffixes to try after a body: lost or added white space, then a timestamp in each form. */
function* ends(
  { body, before, behind, brief }: Pass,
  times: readonly Candidate<string>[],
  timestamp: string,
  core: Uint8Array,
) {
  const asGiven = { value: body.value.subarray(core.length), faults: [] as readonly Fault[] };
  const lost = asGiven.value.length === 0 ? LOST : [{ value: new Uint8Array(), faults: [whitespaceAdded] }];
  if (behind) {
    for (const time of behind) yield { tail: asGiven, time };
    return;
  }
  if (before) {
    for (const tail of [asGiven, ...lost]) yield { tail, time: { value: '', faults: [] } };
    return;
  }
  const stamp = utf8(timestamp);
  const appended = stamp.length > 0 && sameBytes(body.value.subarray(-stamp.length), stamp);
  const alone = behindBody(timestamp).map((time, at) =>
    appended && at === 0 ? { ...time, faults: [bodyWithTimestamp] } : time,
  );
  const tried = brief ? [...times.slice(0, 2), ...alone.slice(0, 1)] : [...times, ...alone];
  const tails = brief ? lost.slice(0, 1) : lost;
  for (const time of tried.slice(0, 1)) for (const tail of [asGiven, ...tails]) yield { tail, time };
  for (const time of tried.slice(1)) yield { tail: asGiven, time };
  if (!brief) for (const time of tried.slice(1, 8)) for (const tail of tails) yield { tail, time };
}

function bytesFault(secret: string | Uint8Array): readonly Fault[] {
  return typeof secret === 'string' ? [] : (readSecret(secret)[0]?.faults ?? []);
}

const PIECE = 8;

/** A label that is safe in a finding: short, without reordering characters, and without any part of a secret. */
function safeLabel(label: string, { secrets, others, signature }: ReadOptions): string {
  const text = label.slice(0, 80).replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '');
  const hidden = [...secrets, ...others.map(([, secret]) => secret), signature].filter(
    (each) => typeof each === 'string',
  );
  for (let at = 0; at + PIECE <= text.length; at++) {
    if (hidden.some((each) => each.includes(text.slice(at, at + PIECE)))) return '';
  }
  return text;
}
