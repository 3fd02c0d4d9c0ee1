import { ConfigError } from '../errors.js';
import { parseExactJson } from '../events/exact-json.js';
import type { JsonValue } from '../events/types.js';
import { WORD } from './abi-data.js';
import { type Codec, placeSize, readAt } from './codec.js';
import { Problem } from './decode-error.js';

/**
 * Whether all values have names, so that they form an object. Otherwise they form an array, as in viem.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when two names are equal, because one value would be lost.
 */
export function areNamed(names: readonly string[]): boolean {
  const given = names.filter((name) => name !== '');
  const twice = given.find((name, at) => given.indexOf(name) !== at);
  if (twice !== undefined)
    throw new ConfigError(`\`abi\` has two inputs or components named ${twice} in one place. Rename one of them.`);
  return names.length > 0 && given.length === names.length;
}

/** An object of values by name. `__proto__` becomes an ordinary key. */
export function recordOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    if (name !== '__proto__') record[name] = values[at];
    else
      Object.defineProperty(record, name, { value: values[at], configurable: true, enumerable: true, writable: true });
  }
  return record;
}

/**
 * The array or object in an input's value, which is JSON or JSON text; undefined otherwise. A number that JSON.parse
 * would round is returned as its digits.
 */
function structureOf(wire: JsonValue): object | undefined {
  let value: unknown = wire;
  if (typeof wire === 'string') {
    try {
      value = parseExactJson(wire);
    } catch {
      return undefined;
    }
  }
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** @param length Number of elements; undefined for a dynamic array. */
export function arrayCodec(element: Codec, length: number | undefined): Codec {
  const suffix = `[${length ?? ''}]`;
  const step = placeSize(element);
  const size = element.size !== undefined && length !== undefined ? length * element.size : undefined;

  function elementsOf(wire: JsonValue): readonly JsonValue[] | undefined {
    const elements = structureOf(wire);
    return Array.isArray(elements) && (length ?? elements.length) === elements.length ? elements : undefined;
  }

  return {
    type: element.type + suffix,
    shape: element.shape + suffix,
    isHashed: true,
    size,
    read(data, at) {
      let [count, base] = [length, at];
      if (count === undefined) {
        data.claim(at, WORD);
        count = data.position(at);
        base += WORD;
      }
      if (size === undefined) data.claim(base, count * step);
      const values: unknown[] = [];
      try {
        for (let place = base; values.length < count; place += step) values.push(readAt(element, data, place, base));
      } catch (error) {
        throw Problem.at(`[${values.length}]`, error);
      }
      return values;
    },
    fromWire(wire) {
      const elements = elementsOf(wire);
      if (elements === undefined)
        throw new Problem(`must be an array of ${length ?? 'any number of'} elements, in JSON or JSON text.`);
      return mapEach(elements, element.fromWire);
    },
    agrees(value, wire) {
      // Go writes null for an empty list.
      const elements = wire === null ? [] : elementsOf(wire);
      const values = value as unknown[];
      return (
        elements?.length === values.length &&
        values.every((each, at) => element.agrees(each, elements[at] as JsonValue))
      );
    },
    partsOf: (values) => (values as unknown[]).map((value) => ({ codec: element, value })),
  };
}

function mapEach<From, To>(from: readonly From[], to: (each: From) => To): To[] {
  return from.map((each, at) => Problem.under(`[${at}]`, () => to(each)));
}

export function tupleCodec(components: readonly (Codec & { readonly name: string })[]): Codec {
  const names = components.map(({ name }) => name);
  const isNamed = areNamed(names);
  const isStatic = components.every(({ size }) => size !== undefined);
  const length = components.reduce((total, component) => total + placeSize(component), 0);
  const shaped = (values: unknown[]) => (isNamed ? recordOf(names, values) : values);
  const valueAt = (value: unknown, at: number) =>
    (value as unknown[] & Record<string, unknown>)[isNamed ? (names[at] as string) : at];

  /** The components in order, from an array or, if all have names, from an object. */
  function partsOf(wire: JsonValue): readonly JsonValue[] | undefined {
    const value = structureOf(wire);
    if (value === undefined) return undefined;
    if (Array.isArray(value)) return value.length === components.length ? value : undefined;
    if (!isNamed || !names.every((name) => Object.hasOwn(value, name))) return undefined;
    if (Object.keys(value).length !== names.length) return undefined;
    return names.map((name) => (value as Record<string, JsonValue>)[name] as JsonValue);
  }

  /** Maps each component with its value; a problem gets the component's path. */
  const mapParts = <Part>(parts: readonly Part[], to: (component: Codec, part: Part) => unknown) =>
    shaped(
      components.map((component, at) =>
        Problem.under(`.${component.name || at}`, () => to(component, parts[at] as Part)),
      ),
    );

  return {
    type: `(${components.map(({ type }) => type).join(',')})`,
    shape: `(${components.map(({ shape, name }) => `${shape} ${name}`).join(',')})`,
    isHashed: true,
    size: isStatic ? length : undefined,
    read(data, at) {
      if (!isStatic) data.claim(at, length);
      const values: unknown[] = [];
      let place = at;
      for (const component of components) {
        try {
          values.push(readAt(component, data, place, at));
        } catch (error) {
          throw Problem.at(`.${component.name || values.length}`, error);
        }
        place += placeSize(component);
      }
      return shaped(values);
    },
    fromWire(wire) {
      const parts = partsOf(wire);
      if (parts === undefined) {
        throw new Problem(
          `must be a tuple of ${components.length} components: an array or an object, in JSON or JSON text.`,
        );
      }
      return mapParts(parts, (component, part) => component.fromWire(part));
    },
    agrees(value, wire) {
      // The service's ABI of the contract may name the components differently.
      const parts = partsOf(wire) ?? Object.values(structureOf(wire) ?? {});
      if (parts.length !== components.length) return false;
      return components.every((component, at) => component.agrees(valueAt(value, at), parts[at] as JsonValue));
    },
    partsOf: (value) =>
      components.map((codec, at) => ({ codec, value: valueAt(value, at), name: isNamed ? names[at] : undefined })),
  };
}
