import type { Hex } from 'viem';
import { elementOf, type Param, rangeOf, type Value } from './arbitrary-types.js';
import { type EventAbi, isHashed, topicOf } from './encode.js';

/** An object of the given entries, in which a name such as `__proto__` is an own property; an array where one has no name. */
function assemble(params: readonly Param[], values: readonly unknown[]): unknown {
  if (params.length === 0 || params.some(({ name }) => name === '')) return [...values];
  return Object.fromEntries(params.map(({ name }, at) => [name, values[at]]));
}

function decoded(param: Param, value: Value): unknown {
  const array = elementOf(param);
  const list = value as readonly Value[];
  if (array) return list.map((each) => decoded(array.element, each));
  if (param.components) {
    return assemble(
      param.components,
      param.components.map((each, at) => decoded(each, list[at] as Value)),
    );
  }
  const bits = Number(/^u?int(\d+)$/.exec(param.type)?.[1] ?? 256);
  return typeof value === 'bigint' && bits <= 48 ? Number(value) : value;
}

/** The `args` that an event with these values has to give: made from the values alone, by no decoder. */
export function expectedArgs({ inputs }: EventAbi, values: readonly Value[]): unknown {
  if (inputs.length === 0) return undefined;
  return assemble(
    inputs,
    inputs.map((input, at) => {
      const value = values[at] as Value;
      return input.indexed && isHashed(input) ? topicOf(input, value) : decoded(input, value);
    }),
  );
}

const isHex = (value: unknown, bytes?: number): value is Hex =>
  typeof value === 'string' &&
  /^0x([\da-f]{2})*$/.test(value) &&
  (bytes === undefined || value.length === 2 + 2 * bytes);

function listOf(params: readonly Param[], value: unknown): unknown[] | undefined {
  if (params.length === 0 || params.some(({ name }) => name === '')) return Array.isArray(value) ? value : undefined;
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== params.length) return undefined;
  return params.map(({ name }) => Object.getOwnPropertyDescriptor(value, name)?.value);
}

function isOf(param: Param, value: unknown): boolean {
  const array = elementOf(param);
  if (array) {
    const { element, length } = array;
    return (
      Array.isArray(value) && value.length === (length ?? value.length) && value.every((each) => isOf(element, each))
    );
  }
  if (param.components) {
    const list = listOf(param.components, value);
    return list?.length === param.components.length && param.components.every((each, at) => isOf(each, list[at]));
  }
  const range = rangeOf(param.type);
  if (range) {
    const wide = range[1] >= 2n ** 48n;
    if (wide ? typeof value !== 'bigint' : !Number.isSafeInteger(value) || Object.is(value, -0)) return false;
    return BigInt(value as bigint) >= range[0] && BigInt(value as bigint) <= range[1];
  }
  if (param.type === 'bool') return typeof value === 'boolean';
  if (param.type === 'string') return typeof value === 'string' && value.isWellFormed();
  if (param.type === 'address') return typeof value === 'string' && isHex(value.toLowerCase(), 20);
  return isHex(value, param.type === 'bytes' ? undefined : Number(param.type.slice('bytes'.length)));
}

/** Whether decoded `args` are values of the types that the ABI gives, none out of its range. */
export function isInRange({ inputs }: EventAbi, args: unknown): boolean {
  if (inputs.length === 0) return args === undefined;
  const list = listOf(inputs, args);
  return (
    list?.length === inputs.length &&
    inputs.every((input, at) => (input.indexed && isHashed(input) ? isHex(list[at], 32) : isOf(input, list[at])))
  );
}
