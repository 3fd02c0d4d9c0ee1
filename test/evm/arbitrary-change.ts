import { fc } from '../fixtures/property.js';
import { elementOf, type Param, rangeOf, type Value, valuesOf } from './arbitrary-types.js';

/** What is left of an amount without its power of ten, which a decimals conversion may take. */
function significant(number: bigint): bigint {
  let rest = number;
  while (rest !== 0n && rest % 10n === 0n) rest /= 10n;
  return rest;
}

function changedList(list: readonly Value[], at: (index: number) => Param): fc.Arbitrary<Value> {
  const longer = valuesOf(at(list.length)).map((extra) => [...list, extra]);
  if (list.length === 0) return longer;
  const places = fc.nat(list.length - 1);
  return fc.oneof(
    {
      weight: 3,
      arbitrary: places.chain((place) =>
        changed(at(place), list[place] as Value).map((value) => list.with(place, value)),
      ),
    },
    longer,
    places.map((place) => list.toSpliced(place, 1)),
  );
}

/** Any other value for a parameter: no conversion makes one of the other. A list may have another length. */
export function changed(param: Param, value: Value): fc.Arbitrary<Value> {
  const array = elementOf(param);
  const { components = [] } = param;
  if (array) return changedList(value as readonly Value[], () => array.element);
  if (param.type === 'tuple')
    return changedList(value as readonly Value[], (at) => components[at] ?? { name: '', type: 'bool' });
  if (typeof value === 'boolean') return fc.constant(!value);
  const range = rangeOf(param.type);
  if (range) {
    const number = value as bigint;
    const opposite = -number >= range[0] && -number <= range[1] ? -number : range[1];
    const numbers = fc.oneof({ weight: 4, arbitrary: valuesOf(param) }, fc.constant(opposite));
    return numbers.filter((other) => significant(other as bigint) !== significant(number));
  }
  const others = valuesOf(param).filter((other) => other !== value);
  if (param.type === 'string') return fc.oneof(others, fc.constantFrom(`${value}\0`, `${value} `, `\uFEFF${value}`));
  return param.type === 'bytes' ? fc.oneof(others, fc.constant(`${value}00`)) : others;
}
