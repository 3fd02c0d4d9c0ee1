import { readBody, whitespaceAdded, whitespaceLost } from './body.js';
import { boundaryMoved, isBoundaryMoved } from './boundary.js';
import { sameBytes, utf8 } from './bytes.js';
import { type Candidate, type Fault, fault } from './finding.js';
import type { ReadOptions } from './options.js';
import { hmacSha256, otherSchemes, type Scheme } from './scheme.js';
import { bytesFault, readSecret, secretOf, withoutSecret } from './secret.js';
import { fitting, type Reading, readSignature, timeInSignature } from './signature.js';
import { beforeBody, behindBody, otherTimes, readTimestamp } from './timestamp.js';
import type { Work } from './work-limit.js';

/** One pass over a body with one key. */
interface Pass {
  readonly body: Candidate<Uint8Array>;
  readonly key: Candidate<Uint8Array> & { readonly label?: string };
  readonly scheme?: Scheme;
  /** Bytes hashed before the body, instead of a timestamp after it. */
  readonly before?: Candidate<string>;
}

/**
 * Searches for the signed delivery: undoes single faults of body, secret or algorithm, the most frequent first, until
 * the work limit. Each pass also tries all forms of timestamp and signature. Returns the faults of the match.
 */
export function search(given: ReadOptions, work: Work): readonly Fault[] | undefined {
  const readings = readSignature(given.signature);
  if (readings.length === 0 || given.body.value.length === 0) return undefined;
  const ends = endsOf(given);
  for (const pass of passes(given, readings, work)) {
    const found = run(pass, readings, ends, work);
    if (!found) continue;
    const { label } = pass.key;
    return label === undefined ? found : [...found, secretOf(safeLabel(label, given))];
  }
  return undefined;
}

function* passes(given: ReadOptions, readings: readonly Reading[], work: Work): Generator<Pass> {
  const { body, timestamp, secrets } = given;
  const own = secrets.map((secret) =>
    typeof secret === 'string' ? { value: utf8(secret), faults: [] } : { value: secret, faults: [bytesFault] },
  );
  for (const key of own) yield { body, key };
  const schemes = otherSchemes.filter(({ length }) => readings.some(({ bytes }) => bytes.length === length));
  for (const scheme of schemes) if (scheme.length !== 32) for (const key of own) yield { body, key, scheme };
  const keys: Pass['key'][] = [
    ...given.others.map(([label, secret]) => ({ value: utf8(secret), faults: [], label })),
    ...(secrets.length === 0 ? withoutSecret : secrets.flatMap(readSecret)),
  ];
  const bodies = readBody(body.value, work);
  for (let at = 0, bodiesLeft = true; bodiesLeft || at < keys.length; at++) {
    const { value: other, done } = bodies.next();
    bodiesLeft = !done;
    if (other) {
      const faults = [...body.faults, ...other.faults];
      for (const key of own) yield { body: { value: other.value, faults }, key };
    }
    const key = keys[at];
    if (key) yield { body, key };
  }
  for (const before of beforeBody(timestamp.value)) for (const key of own) yield { body, key, before };
  for (const scheme of schemes) if (scheme.length === 32) for (const key of own) yield { body, key, scheme };
}

/** Cost of hashing a timestamp and finishing, as the number of bytes hashed in the same time. */
const FINISH = 512;

function run(pass: Pass, readings: readonly Reading[], ends: Ends, work: Work): readonly Fault[] | undefined {
  const { body, key, scheme = hmacSha256, before } = pass;
  const core = body.value.subarray(0, endOfText(body.value));
  // The whole body, because its trailing white space has no length limit.
  if (!work.spend(body.value.length + key.value.length + FINISH)) return undefined;
  const hasher = scheme.start(key.value);
  if (before) hasher.update(utf8(before.value));
  hasher.update(core);
  const isBrief = body.faults.length + key.faults.length + scheme.faults.length > 0 || key.label !== undefined;
  for (const { tail, time } of ends(body.value.subarray(core.length), before !== undefined, isBrief)) {
    if (!work.spend(FINISH + tail.value.length + time.value.length)) return undefined;
    const whole = hasher.clone();
    whole.update(tail.value);
    whole.update(utf8(time.value));
    const reading = fitting(readings, whole.digest());
    if (!reading) continue;
    const timing = before?.faults ?? time.faults;
    const faults = [...body.faults, ...tail.faults, ...key.faults, ...timing, ...scheme.faults, ...reading.faults];
    return [...new Map(faults.map((each) => [each.cause, each])).values()];
  }
  return undefined;
}

/** The start of trailing white space in a body. */
function endOfText(body: Uint8Array): number {
  let end = body.length;
  while ([0x0a, 0x0d, 0x20, 0x09].includes(body[end - 1] as number)) end--;
  return end;
}

const LOST = ['\n', '\r\n', ' '].map((text) => ({ value: utf8(text), faults: [whitespaceLost] }));
const ADDED = [{ value: new Uint8Array(), faults: [whitespaceAdded] }];

const bodyWithTimestamp = fault(
  'body-with-timestamp',
  'The timestamp is at the end of the body already: it was appended before.',
  'Pass only the body as rawBody. The library appends the timestamp.',
);

interface End {
  readonly tail: Candidate<Uint8Array>;
  readonly time: Candidate<string>;
}
/** Candidates after a body: lost or added white space, then a timestamp. For a changed part, only the likeliest. */
type Ends = (space: Uint8Array, isBefore: boolean, isBrief: boolean) => Generator<End>;

function endsOf({ body, signature, timestamp }: ReadOptions): Ends {
  const text = timestamp.value;
  const read = readTimestamp(text, typeof signature === 'string' ? timeInSignature(signature) : undefined);
  const times = read.map(({ value, faults }) => ({ value, faults: [...timestamp.faults, ...faults] }));
  const [asGiven] = times;
  if (asGiven && asGiven.faults.length > 0 && isBoundaryMoved(body.value, text)) {
    times[0] = { value: text, faults: [boundaryMoved] };
  }
  const stamp = utf8(text);
  const isAppended = stamp.length > 0 && sameBytes(body.value.subarray(-stamp.length), stamp);
  const alone = behindBody(text);
  if (isAppended) alone[0] = { value: '', faults: [bodyWithTimestamp] };
  const nothing = { value: '', faults: [] };

  return function* ends(space, isBefore, isBrief) {
    const own = { value: space, faults: [] };
    const tails = [own, ...(space.length === 0 ? LOST : ADDED)];
    for (const time of isBefore ? [nothing] : [...times.slice(0, 1), ...alone.slice(0, 1)]) {
      for (const tail of tails) yield { tail, time };
    }
    if (isBefore) return;
    for (const time of times.slice(1)) yield { tail: own, time };
    if (isBrief) return;
    for (const time of alone.slice(1)) yield { tail: own, time };
    for (const time of otherTimes(text)) yield { tail: own, time };
  };
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
