import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { readBody } from './body.js';
import { bodyFaults } from './body-faults.js';
import { fromCodes, sameBytes, utf8 } from './bytes.js';
import type { Candidate, Fault } from './finding.js';
import type { ReadOptions } from './options.js';
import { readSecret, secretOf } from './secret.js';
import { fitting, type Reading, readSignature } from './signature.js';
import { beforeBody, behindBody, otherTimes, readTimestamp, timestampFaults } from './timestamp.js';

export type Work = ReturnType<typeof createWork>;

/** About one second of work without native hashes. */
export const MOST_WORK = 64 * 1024 * 1024;

/** The work budget of a search, in bytes hashed or produced. It bounds time without a clock. */
export function createWork(limit: number = MOST_WORK) {
  let spent = 0;
  return {
    /** Bytes spent. Never more than the limit. */
    get spent(): number {
      return spent;
    },
    /** Spends bytes if enough are left. */
    spend(bytes: number): boolean {
      if (spent + bytes > limit) return false;
      spent += bytes;
      return true;
    },
  };
}

/** One pass over a body with one key. */
interface Pass {
  readonly key: Uint8Array;
  /** Hashed before the body. */
  readonly before?: string;
  readonly body: Uint8Array;
  /** What may have been signed after the body, with the fault if it is not the timestamp. */
  readonly after: Iterable<Candidate<string>>;
  /** The fault that the pass undoes. */
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
    const found = run(pass, readings, work);
    if (found) return found;
  }
  return [];
}

function* passes(given: ReadOptions, work: Work): Generator<Pass> {
  const { body, timestamp, secrets } = given;
  const own = secrets.map(utf8);
  const text = body.subarray(0, endOfText(body));
  for (const key of own) yield { key, body: text, after: afterText(given, body.subarray(text.length)) };
  const keys: Candidate<Uint8Array>[] = [
    ...given.others.map(([label, secret]) => ({ value: utf8(secret), fault: secretOf(label) })),
    ...secrets.flatMap(readSecret),
  ];
  const bodies = readBody(body, work.spend);
  const after = [{ value: timestamp }];
  for (let at = 0, bodiesLeft = true; bodiesLeft || at < keys.length; at++) {
    const { value: other, done } = bodies.next();
    bodiesLeft = !done;
    if (other) for (const key of own) yield { key, body: other.value, after, fault: other.fault };
    const key = keys[at];
    if (key) yield { key: key.value, body, after, fault: key.fault };
  }
  for (const before of beforeBody(timestamp)) {
    for (const key of own)
      yield { key, before, body, after: [{ value: '' }], fault: timestampFaults['timestamp-first'] };
  }
  for (const key of own) yield { key, body, after: otherTimes(timestamp) };
}

/** Cost of hashing a timestamp and finishing, as the number of bytes hashed in the same time. */
const FINISH = 512;

function run(pass: Pass, readings: readonly Reading[], work: Work): readonly Fault[] | undefined {
  const { key, before = '', body, after } = pass;
  if (!work.spend(key.length + body.length + FINISH)) return undefined;
  // One pass over a body serves every timestamp: the hash in progress is cloned.
  const hasher = hmac.create(sha256, key).update(utf8(before)).update(body);
  for (const { value, fault } of after) {
    if (!work.spend(FINISH + value.length)) return undefined;
    const reading = fitting(readings, hasher.clone().update(utf8(value)).digest());
    if (reading) return [pass.fault ?? fault ?? [], reading.faults].flat();
  }
  return undefined;
}

/** The start of trailing white space in a body. */
function endOfText(body: Uint8Array): number {
  let end = body.length;
  while ([0x0a, 0x0d, 0x20, 0x09].includes(body[end - 1] as number)) end--;
  return end;
}

/** What may have been signed after the text of a body, which is followed by white space. */
function* afterText({ body, timestamp }: ReadOptions, white: Uint8Array): Generator<Candidate<string>> {
  const space = fromCodes(white);
  const [first, ...times] = readTimestamp(timestamp);
  yield { value: space + timestamp, fault: first?.fault };
  if (space !== '') yield { value: timestamp, fault: bodyFaults['body-whitespace-added'] };
  else for (const lost of ['\n', '\r\n', ' ']) yield { value: lost + timestamp, fault: bodyFaults['body-trimmed'] };
  const stamp = utf8(timestamp);
  if (sameBytes(body.subarray(-stamp.length), stamp)) yield { value: space, fault: bodyFaults['body-with-timestamp'] };
  for (const { value, fault } of [...times, ...behindBody(timestamp)]) yield { value: space + value, fault };
}
