import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { readBody } from './body.js';
import { bodyFaults } from './body-faults.js';
import { sameBytes, utf8 } from './bytes.js';
import type { Candidate, Fault } from './finding.js';
import type { ReadOptions } from './options.js';
import { readSecret, secretOf } from './secret.js';
import { fitting, type Reading, readSignature } from './signature.js';
import { beforeBody, behindBody, otherTimes, readTimestamp, timestampFaults } from './timestamp.js';

/** The work budget of a search, in bytes hashed or produced. It bounds time without a clock. */
export interface Work {
  /** Bytes spent. Never more than the limit. */
  readonly spent: number;
  /** Spends bytes if enough are left. */
  spend(bytes: number): boolean;
}

/** About one second of work without native hashes. */
export const MOST_WORK = 64 * 1024 * 1024;

export function createWork(limit: number = MOST_WORK): Work {
  let spent = 0;
  return {
    get spent() {
      return spent;
    },
    spend(bytes) {
      if (spent + bytes > limit) return false;
      spent += bytes;
      return true;
    },
  };
}

/** One pass over a body with one key, which undoes one fault. */
interface Pass {
  readonly body: Uint8Array;
  readonly key: Uint8Array;
  /** Hashed before the body, instead of a timestamp after it. */
  readonly before?: string;
  /** Timestamps that only an exhaustive search finds, instead of the likely ones. */
  readonly times?: Iterable<Candidate<string>>;
  readonly fault?: Fault | undefined;
}

/** The end of the signed bytes: the trailing white space of the body, and a timestamp. */
interface End {
  readonly space: Uint8Array;
  readonly time: string;
  readonly fault?: Fault | undefined;
}

/**
 * Searches for the signed delivery: undoes one fault of body, secret or timestamp, the most frequent first,
 * until the work limit. Each pass also tries all forms of the signature. Returns the faults of the match.
 */
export function search(given: ReadOptions, work: Work): readonly Fault[] {
  const readings = readSignature(given.signature);
  if (readings.length === 0) return [];
  for (const pass of passes(given, work)) {
    const found = run(pass, readings, given, work);
    if (found) return found;
  }
  return [];
}

function* passes(given: ReadOptions, work: Work): Generator<Pass> {
  const { body, timestamp, secrets } = given;
  const own = secrets.map(utf8);
  for (const key of own) yield { body, key };
  const keys: Candidate<Uint8Array>[] = [
    ...given.others.map(([label, secret]) => ({ value: utf8(secret), fault: secretOf(label) })),
    ...secrets.flatMap(readSecret),
  ];
  const bodies = readBody(body, work.spend);
  for (let at = 0, bodiesLeft = true; bodiesLeft || at < keys.length; at++) {
    const { value: other, done } = bodies.next();
    bodiesLeft = !done;
    if (other) for (const key of own) yield { body: other.value, key, fault: other.fault };
    const key = keys[at];
    if (key) yield { body, key: key.value, fault: key.fault };
  }
  for (const before of beforeBody(timestamp)) {
    for (const key of own) yield { body, key, before, fault: timestampFaults['timestamp-first'] };
  }
  for (const key of own) yield { body, key, times: otherTimes(timestamp) };
}

/** Cost of hashing a timestamp and finishing, as the number of bytes hashed in the same time. */
const FINISH = 512;

function run(pass: Pass, readings: readonly Reading[], given: ReadOptions, work: Work): readonly Fault[] | undefined {
  const { body, key, before, fault } = pass;
  const core = body.subarray(0, endOfText(body));
  // The whole body, because its trailing white space has no length limit.
  if (!work.spend(body.length + key.length + FINISH)) return undefined;
  // One pass over a body serves every timestamp: the hash in progress is cloned.
  const hasher = hmac.create(sha256, key);
  if (before !== undefined) hasher.update(utf8(before));
  hasher.update(core);
  const space = body.subarray(core.length);
  for (const end of endsOf(pass, given, space)) {
    if (!work.spend(FINISH + end.space.length + end.time.length)) return undefined;
    const whole = hasher.clone();
    whole.update(end.space);
    whole.update(utf8(end.time));
    const reading = fitting(readings, whole.digest());
    if (reading) return [fault ?? end.fault ?? [], reading.faults].flat();
  }
  return undefined;
}

/** The start of trailing white space in a body. */
function endOfText(body: Uint8Array): number {
  let end = body.length;
  while ([0x0a, 0x0d, 0x20, 0x09].includes(body[end - 1] as number)) end--;
  return end;
}

/** The ends that may have been signed after the text of a body. */
function* endsOf(pass: Pass, { body, timestamp }: ReadOptions, space: Uint8Array): Generator<End> {
  if (pass.fault) return yield { space, time: pass.before === undefined ? timestamp : '' };
  const withTimes = function* (candidates: Iterable<Candidate<string>>) {
    for (const { value: time, fault } of candidates) yield { space, time, fault };
  };
  if (pass.times) return yield* withTimes(pass.times);
  const [first, ...times] = readTimestamp(timestamp);
  yield { space, time: timestamp, fault: first?.fault };
  if (space.length > 0) yield { space: new Uint8Array(), time: timestamp, fault: bodyFaults['body-whitespace-added'] };
  else
    for (const lost of ['\n', '\r\n', ' '])
      yield { space: utf8(lost), time: timestamp, fault: bodyFaults['body-trimmed'] };
  const stamp = utf8(timestamp);
  if (sameBytes(body.subarray(-stamp.length), stamp))
    yield { space, time: '', fault: bodyFaults['body-with-timestamp'] };
  yield* withTimes([...times, ...behindBody(timestamp)]);
}
