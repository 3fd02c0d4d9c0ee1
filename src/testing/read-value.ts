import type { AbiParameter } from 'abitype';
import { elementOf } from '../chain/value-text.js';
import type { JsonValue } from '../events/types.js';
import type { Codec } from '../evm/codec.js';
import { structureOf } from '../evm/composite-codecs.js';
import { Problem } from '../evm/decode-error.js';
import { isRecord } from '../internal/guards.js';

/**
 * Reads an argument of a test: a value in viem's form, or in the form of an event's input.
 *
 * @throws Problem when it is not exactly a value of the type.
 */
export function readValue(parameter: AbiParameter, codec: Codec, value: unknown): unknown {
  return codec.fromWire(toWire(parameter, value));
}

const INTEGER = /^-?(\d+|0x[\da-f]+)$/i;

/** The value with integers as text. Other values stay as they are: the codec refuses them. */
function toWire(parameter: AbiParameter, value: unknown): JsonValue {
  const { type } = parameter;
  const element = elementOf(parameter);
  if (element) {
    const list = structureOf(value as JsonValue);
    if (!Array.isArray(list)) return value as JsonValue;
    return list.map((each, at) => Problem.under(`[${at}]`, () => toWire(element, each)));
  }
  if ('components' in parameter) return tupleToWire(parameter.components, value);
  if (type === 'string' && typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new Problem('has half of a surrogate pair, which is not text.');
  if (!/^u?int/.test(type)) return value as JsonValue;
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && INTEGER.test(value)) return value;
  throw new Problem(`must be an integer for ${type}: a bigint, a safe number, or its digits.`);
}

function tupleToWire(components: readonly AbiParameter[], value: unknown): JsonValue {
  const parts = structureOf(value as JsonValue);
  const convert = (component: AbiParameter | undefined, step: string, part: unknown) =>
    component === undefined ? (part as JsonValue) : Problem.under(step, () => toWire(component, part));
  if (Array.isArray(parts)) return parts.map((part, at) => convert(components[at], `.${at}`, part));
  if (!isRecord(parts)) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      convert(
        components.find((each) => each.name === name),
        `.${name}`,
        part,
      ),
    ]),
  );
}
