import type { AbiParameter } from 'abitype';
import { checksumAddress } from 'viem';
import type { JsonValue } from '../events/types.js';
import { Problem } from './decode-error.js';
import { bytesOf } from './decode-values.js';
import { ADDRESS, BYTES } from './hex.js';
import type { Hex } from './types.js';

/** What is known of one Solidity type: how its values come from the chain and from the wire's inputs. */
export interface Codec {
  /** Canonical text of the type, as in a signature: `(address,uint256)[]`. */
  readonly type: string;
  /** The type with the names of components, which tells apart what has the same signature. */
  readonly shape: string;
  /** Whether the topic of an indexed one holds its keccak256 hash. */
  readonly isHashed: boolean;
  /** What viem decodes in its place: tuples without names, so that none is lost, and text as its bytes. */
  readonly parameter: AbiParameter;
  /** The value, made of what viem decoded; where it is missing, that is the value. Throws a `Problem`. */
  readonly fromChain?: ((decoded: unknown) => unknown) | undefined;
  /** The value, made of the value of an input. Throws a `Problem` unless that is exact. */
  readonly fromWire: (wire: JsonValue) => unknown;
  /** Whether the value of an input can stand for a value that came from the chain. */
  readonly agrees: (value: unknown, wire: JsonValue) => boolean;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** A token has at most 255 decimals: they are a uint8. */
const MOST_DECIMALS = 255;

/** Longer than any amount with all its decimals. */
const LONGEST = 400;

interface Quantity {
  /** Sign and significant digits; `''` for nought. */
  readonly digits: string;
  /** How many noughts follow them; negative for places behind the point. */
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
 * Whether an integer of the chain is what the service would convert into this value: the same digits, with the point
 * moved to the left by a token's decimals (123456000 and `"123.456"`). Rounding is no conversion.
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

/** How many bits fit a JavaScript number in the types of viem and abitype; wider ones are bigints. */
const NUMBER_BITS = 48;

const CONVERTED =
  'is a decimal or a time where the type is an integer: the service converts the values of this contract, and what it sends is not the exact amount. That is in rawFields alone, which this event lacks: have the service send them, or switch off the conversion.';

/** A whole number as text in decimal or hex, or as a JSON number that is exact; undefined when it is none. */
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

/** Whether Unix seconds are what the service would convert into this time (RFC 3339). */
function isTime(seconds: string, wire: JsonValue): boolean {
  return typeof wire === 'string' && TIME.test(wire) && String(Date.parse(wire) / 1000) === seconds;
}

export function integerCodec(isSigned: boolean, bits: number): Codec {
  const type = `${isSigned ? '' : 'u'}int${bits}`;
  const max = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n;
  const min = isSigned ? -max - 1n : 0n;
  const isNumber = bits <= NUMBER_BITS;

  function inRange(value: number | bigint): number | bigint {
    if (value >= min && value <= max) return value;
    throw new Problem(`is out of the range of ${type}.`);
  }

  return {
    type,
    shape: type,
    isHashed: false,
    parameter: { type },
    // A word holds 256 bits, whatever the type.
    fromChain: bits === 256 ? undefined : (decoded) => inRange(decoded as number | bigint),
    fromWire(wire) {
      const value = integerOf(wire);
      if (value === undefined) {
        throw new Problem(
          isConverted(wire) ? CONVERTED : `is no integer in decimal digits or in hex, as ${type} takes.`,
        );
      }
      return isNumber ? Number(inRange(value)) : inRange(value);
    },
    agrees(value, wire) {
      const text = String(value);
      return text === wire || integerOf(wire) === BigInt(text) || isScaled(text, wire) || isTime(text, wire);
    },
  };
}

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
