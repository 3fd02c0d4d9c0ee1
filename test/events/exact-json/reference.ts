import { type JavaScriptValue, parse } from 'lossless-json';

/** A number of a JSON text, with its digits as they were sent. */
export class SentNumber {
  constructor(readonly text: string) {}
}

/** Parses JSON with another parser, which keeps every number as its text. Like JSON.parse, it keeps the last of equal keys. */
export function parseReference(text: string): unknown {
  return parse(text, undefined, {
    parseNumber: (digits) => new SentNumber(digits),
    onDuplicateKey: ({ newValue }) => newValue as JavaScriptValue,
  });
}

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The quantity that a decimal stands for: whole digits that end in no zero, times ten to the power of `exponent`. */
function quantity(decimal: string): { digits: bigint; exponent: bigint } {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(decimal) ?? [];
  const all = whole + fraction;
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end--;
  if (end === 0) return { digits: 0n, exponent: 0n };
  const digits = BigInt(all.slice(0, end)) * (sign === '-' ? -1n : 1n);
  return { digits, exponent: BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - end) };
}

/** Whether JavaScript writes a number as a decimal of the same quantity. */
export function isExactly(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  const [left, right] = [quantity(String(value)), quantity(text)];
  return left.digits === right.digits && left.exponent === right.exponent;
}

/**
 * Where a parsed value differs from the reference, as a path; undefined where it does not. A number must be exact, or the
 * text of its digits.
 */
export function differenceFrom(reference: unknown, value: unknown, path = '$'): string | undefined {
  if (reference instanceof SentNumber) {
    const isSame = typeof value === 'number' ? isExactly(value, reference.text) : value === reference.text;
    return isSame ? undefined : `${path}: ${reference.text} became ${typeof value} ${value}`;
  }
  if (typeof reference !== 'object' || reference === null) {
    return reference === value ? undefined : `${path}: ${JSON.stringify(reference)} became ${JSON.stringify(value)}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(reference) !== Array.isArray(value)) {
    return `${path}: became ${JSON.stringify(value)}`;
  }
  const [keys, others] = [Object.keys(reference), Object.keys(value)];
  if (keys.length !== others.length || !keys.every((key, at) => key === others[at])) return `${path}: other keys`;
  for (const key of keys) {
    const found = differenceFrom(Reflect.get(reference, key), Reflect.get(value, key), `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
