import { elementOf, type Param, type Value } from './arbitrary-types.js';
import { type EventAbi, isHashed, loggedValues } from './encode.js';

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

/** The `args` of values as a log has them. */
export function loggedArgs({ inputs }: Pick<EventAbi, 'inputs'>, values: readonly Value[]): unknown {
  if (inputs.length === 0) return undefined;
  return assemble(
    inputs,
    inputs.map((input, at) => (isHashed(input) ? values[at] : decoded(input, values[at] as Value))),
  );
}

/** The `args` that an event with these values has to give: made from the values alone, by no decoder. */
export function expectedArgs(item: EventAbi, values: readonly Value[]): unknown {
  return loggedArgs(item, loggedValues(item, values));
}
