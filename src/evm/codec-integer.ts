import type { JsonValue } from '../events/types.js';
import type { Codec } from './codec.js';
import { Problem } from './decode-error.js';
import { isScaled } from './scaled.js';

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
