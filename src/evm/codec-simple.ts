import { checksumAddress } from 'viem';
import type { JsonValue } from '../events/types.js';
import { bytesOf } from './abi-data.js';
import type { Codec } from './codec.js';
import { Problem } from './decode-error.js';
import type { Hex } from './types.js';
import { ADDRESS, BYTES } from './wire-fields.js';

const PADDED = /^0x0{24}/;

const sameText = (value: unknown, wire: unknown) =>
  value === wire || (typeof wire === 'string' && (value as string).toLowerCase() === wire.toLowerCase());

export const addressCodec: Codec = {
  type: 'address',
  shape: 'address',
  isHashed: false,
  // viem would cut what is longer to 20 bytes.
  parameter: { type: 'bytes32' },
  fromChain(decoded) {
    if (PADDED.test(decoded as Hex)) return checksumAddress(`0x${(decoded as Hex).slice(26)}`);
    throw new Problem('is longer than an address.');
  },
  fromWire(wire) {
    if (typeof wire !== 'string' || !ADDRESS.test(wire)) throw new Problem('is no address: 0x and 40 hex digits.');
    const address = checksumAddress(wire as Hex);
    const digits = wire.slice(2);
    const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase();
    if (hasNoChecksum || address === wire) return address;
    throw new Problem('is an address whose checksum is wrong, so some of it is not what was written.');
  },
  agrees: sameText,
};

export const booleanCodec: Codec = {
  type: 'bool',
  shape: 'bool',
  isHashed: false,
  parameter: { type: 'bool' },
  fromWire(wire) {
    if (typeof wire === 'boolean') return wire;
    if (wire === 'true' || wire === 'false') return wire === 'true';
    throw new Problem('is neither true nor false.');
  },
  agrees: (value, wire) => value === wire || String(value) === wire,
};

// A byte order mark is a part of the text like any other.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Whether bytes are what the service would convert into this: text, without the noughts that fill it up, or base64. */
function sameBytes(bytes: Uint8Array, wire: JsonValue): boolean {
  // So does a program in Go write an array of bytes in JSON.
  if (Array.isArray(wire)) return wire.length === bytes.length && wire.every((byte, at) => byte === bytes[at]);
  if (typeof wire !== 'string') return false;
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  const isText = [bytes, bytes.subarray(0, end)].some((part) => utf8.decode(part) === wire);
  return isText || btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), '')) === wire;
}

/** @param size How many bytes, or undefined for `bytes`. */
export function bytesCodec(size: number | undefined): Codec {
  const type = `bytes${size ?? ''}`;
  return {
    type,
    shape: type,
    isHashed: size === undefined,
    parameter: { type },
    fromWire(wire) {
      const isHex = typeof wire === 'string' && BYTES.test(wire) && wire.length % 2 === 0;
      if (isHex && (size === undefined || wire.length === 2 + 2 * size)) return wire.toLowerCase();
      throw new Problem(`is not the hex text of ${size ?? 'whole'} bytes.`);
    },
    agrees: (value, wire) => sameText(value, wire) || sameBytes(bytesOf(value as Hex), wire),
  };
}

/** Text in which bytes that are no UTF-8 are one character: decoders make one of them or more. */
const readable = (text: string) => text.replace(/\uFFFD+/g, '\uFFFD');

/** Whether text is what the service would make of this: Postgres cannot hold NUL. */
function sameString(value: string, wire: string): boolean {
  return [value, value.replaceAll('\0', '')].some((text) => readable(text) === readable(wire));
}

export const stringCodec: Codec = {
  type: 'string',
  shape: 'string',
  isHashed: true,
  parameter: { type: 'bytes' },
  fromChain: (decoded) => utf8.decode(bytesOf(decoded as Hex)),
  fromWire(wire) {
    if (typeof wire === 'string') return wire;
    throw new Problem('is no text.');
  },
  agrees: (value, wire) => value === wire || (typeof wire === 'string' && sameString(value as string, wire)),
};
