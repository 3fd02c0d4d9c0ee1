import type { JsonValue } from '../events/types.js';
import { type AbiData, WORD } from './abi-data.js';
import { checksumAddress } from './checksum.js';
import type { Codec } from './codec.js';
import { Problem } from './decode-error.js';
import { ADDRESS, BYTES, bytesOf } from './hex.js';
import type { Hex } from './types.js';

const TRUE = '1'.padStart(2 * WORD, '0');
const FALSE = '0'.repeat(2 * WORD);
/** The zeros before an address. */
const PADDING = '0'.repeat(24);

const sameText = (value: unknown, wire: unknown) =>
  value === wire || (typeof wire === 'string' && (value as string).toLowerCase() === wire.toLowerCase());

export const addressCodec: Codec = {
  type: 'address',
  shape: 'address',
  isHashed: false,
  size: WORD,
  read(data, at) {
    const word = data.digits(at, WORD);
    if (word.startsWith(PADDING)) return checksumAddress(word.slice(PADDING.length));
    throw new Problem('is longer than an address.');
  },
  fromWire(wire) {
    if (typeof wire !== 'string' || !ADDRESS.test(wire)) throw new Problem('must be an address: 0x and 40 hex digits.');
    const digits = wire.slice(2);
    const address = checksumAddress(digits.toLowerCase());
    const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase();
    if (hasNoChecksum || address === wire) return address;
    throw new Problem('is an address with a wrong checksum, so at least one character is wrong.');
  },
  agrees: sameText,
};

export const booleanCodec: Codec = {
  type: 'bool',
  shape: 'bool',
  isHashed: false,
  size: WORD,
  read(data, at) {
    const word = data.digits(at, WORD);
    if (word === TRUE || word === FALSE) return word === TRUE;
    throw new Problem('is neither true nor false.');
  },
  fromWire(wire) {
    if (typeof wire === 'boolean') return wire;
    if (wire === 'true' || wire === 'false') return wire === 'true';
    throw new Problem('must be true or false.');
  },
  agrees: (value, wire) => value === wire || String(value) === wire,
};

// A byte order mark belongs to the text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Whether the service may send bytes as this value: text with or without zero padding, or base64. */
function sameBytes(bytes: Uint8Array, wire: JsonValue): boolean {
  // Go encodes byte arrays like this in JSON.
  if (Array.isArray(wire)) return wire.length === bytes.length && wire.every((byte, at) => byte === bytes[at]);
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  const isText = [bytes, bytes.subarray(0, end)].some((part) => utf8.decode(part) === wire);
  return isText || btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), '')) === wire;
}

/** The hex digits of length-prefixed bytes. */
function tailAt(data: AbiData, at: number): string {
  data.claim(at, WORD);
  const length = data.position(at);
  data.claim(at + WORD, length);
  return data.digits(at + WORD, length);
}

/** @param size Number of bytes; undefined for `bytes`. */
export function bytesCodec(size: number | undefined): Codec {
  const type = `bytes${size ?? ''}`;
  return {
    type,
    shape: type,
    isHashed: size === undefined,
    size: size && WORD,
    read: (data, at) => `0x${size === undefined ? tailAt(data, at) : data.digits(at, size)}`,
    fromWire(wire) {
      const isHex = typeof wire === 'string' && BYTES.test(wire) && wire.length % 2 === 0;
      if (isHex && (size === undefined || wire.length === 2 + 2 * size)) return wire.toLowerCase();
      throw new Problem(`must be hex text of ${size ?? 'whole'} bytes.`);
    },
    agrees: (value, wire) => sameText(value, wire) || sameBytes(bytesOf(value as Hex), wire),
  };
}

/** Collapses runs of U+FFFD, because decoders write one or more for invalid UTF-8. */
const readable = (text: string) => text.replace(/\uFFFD+/g, '\uFFFD');

/** Whether the service may send this text. It may drop NUL, which Postgres cannot store. */
function sameString(value: string, wire: string): boolean {
  return [value, value.replaceAll('\0', '')].some((text) => readable(text) === readable(wire));
}

/** Replaces invalid UTF-8 with U+FFFD. */
export const lenientText = (bytes: Uint8Array) => utf8.decode(bytes);

/** @param textOf Decodes UTF-8. */
export function stringCodec(textOf: (bytes: Uint8Array) => string): Codec {
  return {
    type: 'string',
    shape: 'string',
    isHashed: true,
    size: undefined,
    read: (data, at) => textOf(bytesOf(`0x${tailAt(data, at)}`)),
    fromWire(wire) {
      if (typeof wire === 'string') return wire;
      throw new Problem('must be text.');
    },
    agrees: (value, wire) => value === wire || (typeof wire === 'string' && sameString(value as string, wire)),
  };
}
