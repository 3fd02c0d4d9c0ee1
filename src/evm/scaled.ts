import type { JsonValue } from '../events/types.js';

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
