import type { JsonValue } from '../events/types.js';
import { type AbiData, WORD } from './abi-data.js';
import { checksumAddress } from './checksum.js';
import { Problem } from './decode-error.js';
import { ADDRESS, BYTES, bytesOf } from './hex.js';
import type { Hex } from './types.js';

/** Reads values of one Solidity type, from the chain and from the inputs on the wire. */
export interface Codec {
  /** Canonical text of the type, as in a signature: `(address,uint256)[]`. */
  readonly type: string;
  /** The type with the names of components, which distinguishes types of the same signature. */
  readonly shape: string;
  /** Whether the topic of an indexed input of this type contains its keccak256 hash. */
  readonly isHashed: boolean;
  /** Bytes of the encoding of any value; undefined if they depend on the value. */
  readonly size: number | undefined;
  /**
   * Reads the value that is encoded at a position. Bytes of a fixed size are claimed before. Throws a `Problem` unless it
   * is a value of the type.
   */
  readonly read: (data: AbiData, at: number) => unknown;
  /** Converts the value of an input. Throws a `Problem` unless it is exact. */
  readonly fromWire: (wire: JsonValue) => unknown;
  /** Whether the value of an input may represent a value from the chain. */
  readonly agrees: (value: unknown, wire: JsonValue) => boolean;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** A token's decimals are a uint8. */
const MOST_DECIMALS = 255;

/** Longer than any amount with all decimals. */
const LONGEST = 400;

interface Quantity {
  /** Sign and significant digits; `''` for zero. */
  readonly digits: string;
  /** Number of zeros that follow; negative for decimal places. */
  readonly exponent: number;
}

function quantityOf(text: string): Quantity | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] = (text.length <= LONGEST && NUMBER.exec(text)) || [];
  if (whole === undefined) return undefined;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return {
    digits: digits && sign + digits,
    exponent: Number(exponent) - fraction.length + all.length - digits.length,
  };
}

/**
 * Whether the service would convert an integer of the chain into this value: the same digits, with the decimal point
 * moved left by a token's decimals (123456000 and `"123.456"`). A rounded value does not match.
 */
export function isScaled(integer: string, wire: JsonValue): boolean {
  if (typeof wire !== 'string' && typeof wire !== 'number') return false;
  const [exact, converted] = [quantityOf(integer), quantityOf(String(wire))];
  if (exact === undefined || converted?.digits !== exact.digits) return false;
  const decimals = exact.exponent - converted.exponent;
  return exact.digits === '' || (decimals >= 0 && decimals <= MOST_DECIMALS);
}

const DECIMAL = /^-?\d{1,78}$/;
const HEX = /^(-?)(0x[\da-f]{1,64})$/i;
const FRACTION = /^-?\d+\.\d+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;

/** Integers up to this width are numbers in viem and abitype; wider ones are bigints. */
const NUMBER_BITS = 48;

const CONVERTED =
  'is a decimal or a time, but its type is an integer: the service converts the values of this contract, so this is not the exact amount. Only rawFields contains the exact amount, and this event lacks it. Have the service send rawFields, or turn off the conversion.';

/** An integer from decimal or hex text, or from an exact JSON number; otherwise undefined. */
function integerOf(wire: JsonValue): bigint | undefined {
  if (typeof wire === 'number') return Number.isSafeInteger(wire) ? BigInt(wire) : undefined;
  if (typeof wire !== 'string') return undefined;
  if (DECIMAL.test(wire)) return BigInt(wire);
  const [, sign, digits] = HEX.exec(wire) ?? [];
  if (digits === undefined) return undefined;
  return sign ? -BigInt(digits) : BigInt(digits);
}

function isConverted(wire: JsonValue): boolean {
  if (typeof wire === 'number') return Number.isFinite(wire) && !Number.isInteger(wire);
  return typeof wire === 'string' && (FRACTION.test(wire) || TIME.test(wire));
}

/** Whether the service would convert Unix seconds into this RFC 3339 time. */
function isTime(seconds: string, wire: JsonValue): boolean {
  return typeof wire === 'string' && TIME.test(wire) && String(Date.parse(wire) / 1000) === seconds;
}

export function integerCodec(isSigned: boolean, bits: number): Codec {
  const type = `${isSigned ? '' : 'u'}int${bits}`;
  const max = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n;
  const min = isSigned ? -max - 1n : 0n;
  const isNumber = bits <= NUMBER_BITS;

  function inRange(value: bigint): number | bigint {
    if (value < min || value > max) throw new Problem(`is out of range for ${type}.`);
    return isNumber ? Number(value) : value;
  }

  return {
    type,
    shape: type,
    isHashed: false,
    size: WORD,
    read(data, at) {
      const word = BigInt(`0x${data.digits(at, WORD)}`);
      return inRange(isSigned ? BigInt.asIntN(256, word) : word);
    },
    fromWire(wire) {
      const value = integerOf(wire);
      if (value === undefined) {
        throw new Problem(isConverted(wire) ? CONVERTED : `must be an integer for ${type}, in decimal digits or hex.`);
      }
      return inRange(value);
    },
    agrees(value, wire) {
      const text = String(value);
      return text === wire || integerOf(wire) === BigInt(text) || isScaled(text, wire) || isTime(text, wire);
    },
  };
}

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

/** Whether the service would convert bytes into this value: text with or without its zero padding, or base64. */
function sameBytes(bytes: Uint8Array, wire: JsonValue): boolean {
  // Go writes an array of bytes this way in JSON.
  if (Array.isArray(wire)) return wire.length === bytes.length && wire.every((byte, at) => byte === bytes[at]);
  if (typeof wire !== 'string') return false;
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  const isText = [bytes, bytes.subarray(0, end)].some((part) => utf8.decode(part) === wire);
  return isText || btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), '')) === wire;
}

/** The digits of bytes that follow their length. */
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
    // Padding is not part of the value.
    read: (data, at) => `0x${size === undefined ? tailAt(data, at) : data.digits(at, size)}`,
    fromWire(wire) {
      const isHex = typeof wire === 'string' && BYTES.test(wire) && wire.length % 2 === 0;
      if (isHex && (size === undefined || wire.length === 2 + 2 * size)) return wire.toLowerCase();
      throw new Problem(`must be hex text of ${size ?? 'whole'} bytes.`);
    },
    agrees: (value, wire) => sameText(value, wire) || sameBytes(bytesOf(value as Hex), wire),
  };
}

/** Text with each run of U+FFFD as one: decoders write one or more for invalid UTF-8. */
const readable = (text: string) => text.replace(/\uFFFD+/g, '\uFFFD');

/** Whether the service would send this text: it may drop NUL, which Postgres cannot store. */
function sameString(value: string, wire: string): boolean {
  return [value, value.replaceAll('\0', '')].some((text) => readable(text) === readable(wire));
}

/** Text with U+FFFD for what is not UTF-8. */
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
