// What stands in this folder uses web standards only, no vitest and nothing of the library but types, so that the same
// cases run over real HTTP here, inside every runtime, and against an application that is already deployed.
import type { HeaderNames } from '../../../src/index.js';

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface Delivery {
  readonly body: Uint8Array;
  readonly signature: string;
  readonly timestamp: string;
}

export interface SignSettings {
  readonly timestamp?: string;
  readonly secret?: string;
}

/** Signs as the service does, under the secret that the receiver has unless told otherwise, with nothing of the library. */
export type Sign = (content: string | Uint8Array, settings?: SignSettings) => Delivery | Promise<Delivery>;

export const SECRET = 'whsec-matrix';
export const TIMESTAMP = '1700000000';

const NAMES: HeaderNames = { signature: 'X-Service-Signature', timestamp: 'X-Service-Timestamp' };

/** The headers of a delivery without what says how long it is. */
export function headersOf(
  { signature, timestamp }: Pick<Delivery, 'signature' | 'timestamp'>,
  names: HeaderNames = NAMES,
): HeaderList {
  return [
    ['Content-Type', 'application/json'],
    [names.signature, signature],
    [names.timestamp, timestamp],
  ];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Bytes one after the other; a string stands for its UTF-8. */
export function bytesOf(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const pieces = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The text of UTF-8 bytes. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Bytes in pieces of `size`. */
export function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** The bytes that hex digits stand for. */
export const hexBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
