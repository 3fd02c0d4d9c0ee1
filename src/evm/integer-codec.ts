import type { JsonValue } from '../events/types.js';
import { WORD } from './abi-data.js';
import type { Codec } from './codec.js';
import { Problem } from './decode-error.js';

const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** A token's decimals are a uint8. */
const MOST_DECIMALS = 255;

/** Upper bound for an amount with all decimals. */
const LONGEST = 400;

interface Quantity {
  /** Sign and significant digits; `''` for zero. */
  readonly digits: string;
  /** How many of the digits are before the decimal point; negative for zeros after it. */
  readonly point: number;
}

function quantityOf(text: string): Quantity | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] = (text.length <= LONGEST && NUMBER.exec(text)) || [];
  if (whole === undefined) return undefined;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return {
    digits: digits && sign + digits,
    point: Number(exponent) - fraction.length + all.length,
  };
}

/**
 * Whether the service may send an integer as this value: the same digits, with the decimal point moved left by a
 * token's decimals (123456000 and `"123.456"`). A rounded value does not match.
 */
function isScaled(integer: string, wire: JsonValue): boolean {
  if (typeof wire !== 'string' && typeof wire !== 'number') return false;
  const [exact, converted] = [quantityOf(integer), quantityOf(String(wire))];
  if (exact === undefined || converted?.digits !== exact.digits) return false;
  const decimals = exact.point - converted.point;
  return exact.digits === '' || (decimals >= 0 && decimals <= MOST_DECIMALS);
}

const DECIMAL = /^-?\d{1,78}$/;
const HEX = /^(-?)(0x[\da-f]{1,64})$/i;
const FRACTION = /^-?\d+\.\d+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;

/** Integers up to this width are numbers in viem and abitype; wider ones are bigints. */
const NUMBER_BITS = 48;

/** An integer from decimal or hex text, from a bigint, or from an exact JSON number; otherwise undefined. */
function integerOf(wire: JsonValue | bigint): bigint | undefined {
  if (typeof wire === 'bigint') return wire;
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

/** Whether the service may send Unix seconds as this RFC 3339 time. */
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
        if (isConverted(wire)) {
          const message = 'is a decimal or a time, but its type is an integer.';
          const advice =
            ' The service converts the values of this contract, so this is not the exact amount. Only rawFields contains the exact amount, and this event lacks it. Have the service send rawFields, or turn off the conversion.';
          throw new Problem(message, advice);
        }
        throw new Problem(`must be an integer for ${type}, in decimal digits or hex.`);
      }
      return inRange(value);
    },
    agrees(value, wire) {
      const text = String(value);
      return text === wire || integerOf(wire) === BigInt(text) || isScaled(text, wire) || isTime(text, wire);
    },
  };
}
