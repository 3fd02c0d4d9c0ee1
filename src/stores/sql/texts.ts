import { storeError } from '../bounded-calls.js';
import { readableText, storableRecord } from '../storable.js';
import type { Failure } from '../store.js';

/** D1 has rows of up to 2 MB. */
const MOST_BYTES = 1_900_000;

/** A failure with texts that every database can keep. Throws `ERR_WEBHOOK_STORE` for a letter that is too large. */
export function keepable(failure: Failure): Failure {
  const { letter, source, code, message } = failure;
  // In JSON, both occur only inside strings.
  const kept = letter.replaceAll('\0', '\\u0000').replace(LONE, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
  const bytes = new TextEncoder().encode(kept).length;
  if (bytes > MOST_BYTES) throw storeError(`${TOO_LARGE} (${bytes} bytes, at most ${MOST_BYTES})`);
  return {
    ...storableRecord(failure),
    letter: kept,
    source: source === undefined ? undefined : readableText(source),
    code: readableText(code),
    message: readableText(message),
  };
}

const LONE = /\p{Surrogate}/gu;
const TOO_LARGE = 'The event is too large for a dead letter, so it will be redelivered';

/** Texts that contain no escape sequence of a server and no placeholder of a client. */
const PLAIN = /^[\w .:@/+,{}"[\]-]*$/;

/** A text as a literal: as it is, or `decoded` from hex digits. */
export function textLiteral(text: string, decoded: (hex: string) => string): string {
  return PLAIN.test(text) ? `'${text}'` : decoded(hexOf(text));
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** UTF-8 in hex digits, which contain no placeholder of a client and no escape of a server. */
export function hexOf(text: string): string {
  let hex = '';
  for (const byte of new TextEncoder().encode(text)) hex += DIGITS[byte];
  return hex;
}

export function textOf(hex: string): string {
  return new TextDecoder().decode(Uint8Array.from({ length: hex.length / 2 }, (_, at) => digitsAt(hex, 2 * at)));
}

function digitsAt(hex: string, at: number): number {
  return Number.parseInt(hex.slice(at, at + 2), 16);
}
