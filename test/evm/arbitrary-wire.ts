import type { EventInput, JsonValue } from '../../src/events/types.js';
import { fc } from '../fixtures/property.js';
import { elementOf, type Param, type Value } from './arbitrary-types.js';
import { canonicalType, type EventAbi, isHashed, loggedValues } from './encode.js';

/** Which of the forms that a value can have on the wire comes next. The first form is the one of the live service. */
export type Pick = <T>(...forms: readonly T[]) => T;

/** Choices of forms, from one list of numbers that starts again at its end. */
export function pickFrom(choices: readonly number[]): Pick {
  let at = 0;
  return <T>(...forms: readonly T[]) => forms[(choices[at++ % choices.length] ?? 0) % forms.length] as T;
}

/** The first form of everything. */
export const plain: Pick = (...forms) => forms[0] as (typeof forms)[0];

export const picks = fc.array(fc.nat(11), { minLength: 1, maxLength: 20 });

/** How the inputs are written. */
export interface WireStyle {
  readonly pick: Pick;
  /** Integers are divided by ten to this power, as the service does it for a contract with a decimals conversion. */
  readonly decimals?: number;
}

/** Integers that stand as bare digits in JSON text, where a JavaScript number could not hold them. */
type Draft = JsonValue | bigint | readonly Draft[] | { readonly [key: string]: Draft };

function toText(draft: Draft): string {
  if (typeof draft === 'bigint') return String(draft);
  if (Array.isArray(draft)) return `[${draft.map(toText).join()}]`;
  if (typeof draft !== 'object' || draft === null) return JSON.stringify(draft);
  return `{${Object.entries(draft).map(([key, value]) => `${JSON.stringify(key)}:${toText(value)}`)}}`;
}

/** A whole number divided by a power of ten, as decimal text. */
export function convert(number: bigint, decimals: number, trimmed = true): string {
  const digits = String(number < 0n ? -number : number).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals);
  const end = trimmed ? fraction.replace(/0+$/, '') : fraction;
  return `${number < 0n ? '-' : ''}${whole}${end && '.'}${end}`;
}

function integer(number: bigint, { pick, decimals = 0 }: WireStyle, inText: boolean): Draft {
  if (decimals > 0) return convert(number, decimals, pick(true, false));
  const form = pick('decimal', 'hex', 'number');
  if (form === 'hex' && number >= 0n) return `0x${number.toString(16)}`;
  if (form === 'number' && inText) return number;
  const isSafe = number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER;
  return form === 'number' && isSafe ? Number(number) : String(number);
}

const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;

function draft(param: Param, value: Value, style: WireStyle, inText: boolean): Draft {
  const { pick } = style;
  if (typeof value === 'bigint') return integer(value, style, inText);
  if (typeof value === 'boolean') return pick<Draft>(String(value), value);
  if (typeof value === 'string') {
    if (param.type === 'address') return pick(value, value.toLowerCase(), upper(value));
    return param.type === 'string' ? value : pick(value, upper(value));
  }
  const asText = pick(true, false);
  // Text within text would be escaped twice, which nothing on the way does.
  const within = (each: Param, child: Value) => draft(each, child, style, inText || asText);
  const array = elementOf(param);
  const { components = [] } = param;
  let list: Draft;
  if (array) list = value.map((each) => within(array.element, each));
  else {
    const drafts = value.map((each, at) => within(components[at] ?? param, each));
    const isNamed = components.length === value.length && components.every(({ name }) => name !== '');
    list =
      isNamed && pick(true, false)
        ? Object.fromEntries(components.map(({ name }, at) => [name, drafts[at] as Draft]))
        : drafts;
  }
  return asText && !inText ? toText(list) : list;
}

/** A value as it stands in `inputs[].value`. */
export function wireValue(param: Param, value: Value, style: WireStyle): JsonValue {
  return draft(param, value, style, false) as JsonValue;
}

/** The `inputs` of an event with these values. */
export function wireInputs(item: EventAbi, values: readonly Value[], style: WireStyle): EventInput[] {
  return loggedInputs(item, loggedValues(item, values), style);
}

/** The `inputs` for values as a log has them. */
export function loggedInputs({ inputs }: { inputs: readonly Param[] }, values: readonly Value[], style: WireStyle) {
  // An input without a name is `arg0` in the tools that the service is built of.
  const standIn = style.pick(true, false);
  return inputs.map((input, at): EventInput => {
    const hashed = isHashed(input);
    const value = values[at] as Value;
    return {
      name: input.name || (standIn ? `arg${at}` : ''),
      value: hashed ? (value as string) : wireValue(input, value, style),
      hashed,
      type: style.pick(canonicalType(input), input.type),
    };
  });
}
