import { type HeaderNames, serviceHeaders, signDelivery } from 'event-webhook-receiver/verify';
import { checkNumber, checkOptions, optionError } from '../check-options.js';
import type { ByteChange, HeaderLine } from './attempt.js';

/** Faults to inject into every attempt. (Default: all off.) */
export interface Faults {
  /** A delivery that was answered 2xx is sent once more. */
  readonly duplicate: boolean;
  /** Each delivery is sent after the next one, and its events are in reverse order. */
  readonly reorder: boolean;
  /** Each attempt is delayed by this many milliseconds, then signed; 600 000 at most. */
  readonly delayMs: number;
  /** Deliveries are signed with the secret followed by a line break. */
  readonly wrongSignature: boolean;
  /** The signed timestamp is 50 minutes old. */
  readonly oldTimestamp: boolean;
  /** One byte of the body is changed after signing. */
  readonly tamperedBody: boolean;
  /** The connection is closed after half of the body. */
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
/** Not an hour, which would look like a clock in another time zone. */
const OLD_SECONDS = 50 * 60;

/** The faults with some of them changed. Throws ConfigError for an unknown fault or a wrong value. */
export function changeFaults(faults: Faults, changes: unknown): Faults {
  checkOptions('setFaults', changes, Object.keys(NO_FAULTS));
  for (const [name, value] of Object.entries(changes as object)) {
    if (name === 'delayMs') checkNumber(name, value, 0, MAX_DELAY_MS);
    else if (typeof value !== 'boolean') throw optionError(name, 'true or false', value);
  }
  return Object.freeze({ ...faults, ...(changes as Partial<Faults>) });
}

/** The request of an attempt. */
export type Prepared = ReturnType<typeof prepare>;

/** How to sign an attempt. */
export interface Signing {
  readonly secret: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly headers?: HeaderNames | undefined;
}

/** Signs a body for one attempt and applies the faults. `notes` are added to their description. */
export function prepare(body: Uint8Array, signing: Signing, faults: Faults, notes: readonly string[] = []) {
  const { headers = serviceHeaders } = signing;
  const words = [...notes];
  if (faults.delayMs > 0) words.push(`delayed by ${faults.delayMs} ms`);
  if (faults.wrongSignature) words.push('signed with a line break after the secret');
  if (faults.oldTimestamp) words.push('timestamp 50 minutes old');
  if (faults.tamperedBody) words.push('one byte of the body changed after signing');
  if (faults.droppedConnection) words.push('connection closed halfway');
  const { signature, timestamp } = signDelivery(body, {
    secret: faults.wrongSignature ? `${signing.secret}\n` : signing.secret,
    timestamp: Math.floor(signing.now / 1000) - (faults.oldTimestamp ? OLD_SECONDS : 0),
    headers,
  });
  const tampered = faults.tamperedBody ? changeOf(body) : undefined;
  const lines: readonly HeaderLine[] = [
    ['Content-Type', 'application/json'],
    [headers.signature, signature],
    [headers.timestamp, timestamp],
  ];
  return {
    body: sentBody(body, tampered),
    /** The change of the body after signing. */
    tampered,
    /** Headers, signed over the body before it was tampered with. */
    headers: lines,
    dropHalfWay: faults.droppedConnection,
    /** The injected faults, in words. */
    fault: words.length > 0 ? words.join('; ') : undefined,
    /** Whether a receiver that verifies signatures can accept it. */
    authentic: !faults.wrongSignature && !faults.tamperedBody && !faults.droppedConnection,
  };
}

/** The change of one bit in the middle. No body is empty. */
function changeOf(body: Uint8Array): ByteChange {
  const at = body.length >> 1;
  return { at, sent: (body[at] as number) ^ 1 };
}

/** The body that an attempt sent: the signed one with the change. */
export function sentBody(body: Uint8Array, change: ByteChange | undefined): Uint8Array {
  if (change === undefined) return body;
  const copy = body.slice();
  copy[change.at] = change.sent;
  return copy;
}
