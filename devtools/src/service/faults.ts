import { ConfigError } from 'event-webhook-receiver';
import { type HeaderNames, serviceHeaders, signDelivery } from 'event-webhook-receiver/verify';
import { isRecord } from '../is-record.js';
import type { HeaderLine } from './attempt.js';
import { checkNumber } from './check-number.js';

/** What is to go wrong with every attempt from now on. All are off unless they are asked for. */
export interface Faults {
  /** What was answered 2xx is sent once more. */
  readonly duplicate: boolean;
  /** A delivery waits for the next one and is sent after it, and the events of a delivery come last first. */
  readonly reorder: boolean;
  /** Each attempt is held back for so many milliseconds; it is signed when it is sent. 600 000 at most. */
  readonly delayMs: number;
  /** The key of the signature is the secret with a line break behind it. */
  readonly wrongSignature: boolean;
  /** The timestamp, and what is signed with it, is 50 minutes old. */
  readonly oldTimestamp: boolean;
  /** One byte of the body is changed once it is signed. */
  readonly tamperedBody: boolean;
  /** The connection is closed when half of the body is sent. */
  readonly droppedConnection: boolean;
}

export const NO_FAULTS: Faults = Object.freeze({
  duplicate: false,
  reorder: false,
  delayMs: 0,
  wrongSignature: false,
  oldTimestamp: false,
  tamperedBody: false,
  droppedConnection: false,
});

const MAX_DELAY_MS = 600_000;
/** Not an hour: what is off by that looks like a clock in another time zone. */
const OLD_SECONDS = 50 * 60;

/** The faults with some of them changed. Throws ConfigError for one that is not known or has no sense. */
export function changeFaults(faults: Faults, changes: unknown): Faults {
  if (!isRecord(changes)) throw new ConfigError('setFaults needs an object.');
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(NO_FAULTS, name)) {
      throw new ConfigError(`There is no fault of that name. There are: ${Object.keys(NO_FAULTS).join(', ')}.`);
    }
    if (name === 'delayMs') checkNumber(name, value, 0, MAX_DELAY_MS);
    else if (typeof value !== 'boolean') throw new ConfigError(`The fault ${name} must be true or false.`);
  }
  return Object.freeze({ ...faults, ...changes });
}

/** What an attempt puts on the wire. */
export interface Prepared {
  readonly body: Uint8Array;
  /** The headers that hold for the body as it is to be taken for. */
  readonly headers: readonly HeaderLine[];
  readonly dropHalfWay: boolean;
  /** What is wrong with it, in words. */
  readonly fault?: string | undefined;
  /** Whether a receiver that verifies can accept it. */
  readonly genuine: boolean;
}

/** What there is to sign. */
export interface Signing {
  readonly secret: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly headers?: HeaderNames | undefined;
}

/** Signs a body for one attempt and puts the faults into it. `notes` are what is wrong beside those. */
export function prepare(body: Uint8Array, signing: Signing, faults: Faults, notes: readonly string[] = []): Prepared {
  const { headers = serviceHeaders } = signing;
  const words = [...notes];
  if (faults.delayMs > 0) words.push(`held back for ${faults.delayMs} ms`);
  if (faults.wrongSignature) words.push('signed with a line break behind the secret');
  if (faults.oldTimestamp) words.push('timestamp 50 minutes old');
  if (faults.tamperedBody) words.push('one byte of the body changed after signing');
  if (faults.droppedConnection) words.push('connection closed half way');
  const { signature, timestamp } = signDelivery(body, {
    secret: faults.wrongSignature ? `${signing.secret}\n` : signing.secret,
    timestamp: Math.floor(signing.now / 1000) - (faults.oldTimestamp ? OLD_SECONDS : 0),
    headers,
  });
  return {
    body: faults.tamperedBody ? tampered(body) : body,
    headers: [
      ['Content-Type', 'application/json'],
      [headers.signature, signature],
      [headers.timestamp, timestamp],
    ],
    dropHalfWay: faults.droppedConnection,
    fault: words.length > 0 ? words.join('; ') : undefined,
    genuine: !faults.wrongSignature && !faults.tamperedBody && !faults.droppedConnection,
  };
}

function tampered(body: Uint8Array): Uint8Array {
  const copy = body.slice();
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
