import type { JsonValue } from '../events/types.js';
import type { Codec } from './codec.js';
import { Problem } from './decode-error.js';
import { areNamed, recordOf } from './record.js';
import { structureOf } from './wire-json.js';

/** @param length How many elements, or undefined for any number. */
export function arrayCodec(element: Codec, length: number | undefined): Codec {
  const suffix = `[${length ?? ''}]`;
  const { fromChain } = element;

  function elementsOf(wire: JsonValue): readonly JsonValue[] | undefined {
    const elements = structureOf(wire);
    return Array.isArray(elements) && (length ?? elements.length) === elements.length ? elements : undefined;
  }

  return {
    type: element.type + suffix,
    shape: element.shape + suffix,
    isHashed: true,
    parameter: { ...element.parameter, type: element.parameter.type + suffix },
    fromChain: fromChain && ((decoded) => mapEach(decoded as unknown[], fromChain)),
    fromWire(wire) {
      const elements = elementsOf(wire);
      if (elements === undefined)
        throw new Problem(`is no array of ${length ?? 'any number of'} elements, in JSON or JSON text.`);
      return mapEach(elements, element.fromWire);
    },
    agrees(value, wire) {
      // A list that is empty may be null, as in Go.
      const elements = wire === null ? [] : elementsOf(wire);
      const values = value as unknown[];
      return (
        elements?.length === values.length && values.every((each, at) => element.agrees(each, elements[at] ?? null))
      );
    },
  };
}

function mapEach<From, To>(from: readonly From[], to: (each: From) => To): To[] {
  return from.map((each, at) => Problem.under(`[${at}]`, () => to(each)));
}

export function tupleCodec(components: readonly (Codec & { readonly name: string })[]): Codec {
  const names = components.map(({ name }) => name);
  const isNamed = areNamed(names);
  const shaped = (values: unknown[]) => (isNamed ? recordOf(names, values) : values);

  /** The components in their order, from an array or, when all have names, from an object. */
  function partsOf(wire: JsonValue): readonly JsonValue[] | undefined {
    const value = structureOf(wire);
    if (value === undefined) return undefined;
    if (Array.isArray(value)) return value.length === components.length ? value : undefined;
    if (!isNamed || !names.every((name) => Object.hasOwn(value, name))) return undefined;
    if (Object.keys(value).length !== names.length) return undefined;
    return names.map((name) => (value as Record<string, JsonValue>)[name] ?? null);
  }

  /** Each component with its part, told where it is when something is wrong with it. */
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
    parameter: { type: 'tuple', components: components.map(({ parameter }) => parameter) },
    fromChain: (decoded) =>
      mapParts(decoded as unknown[], ({ fromChain }, part) => (fromChain ? fromChain(part) : part)),
    fromWire(wire) {
      const parts = partsOf(wire);
      if (parts === undefined) {
        throw new Problem(
          `is no tuple of ${components.length} components, as an array or an object in JSON or JSON text.`,
        );
      }
      return mapParts(parts, (component, part) => component.fromWire(part));
    },
    agrees(value, wire) {
      // The service has its own ABI of the contract, in which the components may have other names.
      const parts = partsOf(wire) ?? Object.values(structureOf(wire) ?? {});
      const values = Array.isArray(value) ? value : names.map((name) => (value as Record<string, unknown>)[name]);
      if (parts.length !== components.length) return false;
      return components.every((component, at) => component.agrees(values[at], parts[at] ?? null));
    },
  };
}
