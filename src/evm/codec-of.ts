import type { AbiParameter } from 'abitype';
import { ConfigError } from '../errors.js';
import type { Codec } from './codec.js';
import { arrayCodec, tupleCodec } from './composite-codecs.js';
import { addressCodec, booleanCodec, bytesCodec, lenientText, stringCodec } from './elementary-codecs.js';
import { integerCodec } from './integer-codec.js';

const ARRAY = /^(.*)\[(\d*)\]$/s;
const INTEGER = /^(u?)int(\d*)$/;
const BYTES = /^bytes(\d*)$/;

/**
 * Creates the codec for a parameter of an ABI.
 *
 * @param textOf Decodes the UTF-8 of strings. (Default: replaces invalid bytes with U+FFFD.)
 */
export function codecOf(parameter: AbiParameter, textOf = lenientText): Codec {
  const { type } = parameter;
  const [, element, length] = ARRAY.exec(type) ?? [];
  // Compilers reject arrays and tuples of fixed length 0. Their encoding is empty, so data would not bound their
  // number.
  if (element !== undefined && Number(length || 1) > 0) {
    return arrayCodec(codecOf({ ...parameter, type: element }, textOf), length ? Number(length) : undefined);
  }
  if (type === 'tuple' && 'components' in parameter && parameter.components.length > 0) {
    return tupleCodec(
      parameter.components.map((component) => ({ name: component.name ?? '', ...codecOf(component, textOf) })),
    );
  }
  if (type === 'address') return addressCodec;
  if (type === 'bool') return booleanCodec;
  if (type === 'string') return stringCodec(textOf);
  // A function is an address and a selector, left-aligned in its word like bytes24.
  if (type === 'function') return { ...bytesCodec(24), type, shape: type };

  const [, unsigned, digits] = INTEGER.exec(type) ?? [];
  const bits = Number(digits || 256);
  if (unsigned !== undefined && bits > 0 && bits <= 256 && bits % 8 === 0) return integerCodec(unsigned === '', bits);
  const [, size] = BYTES.exec(type) ?? [];
  if (size === '') return bytesCodec(undefined);
  if (Number(size) > 0 && Number(size) <= 32) return bytesCodec(Number(size));
  throw new ConfigError(`\`abi\` has a type that cannot be decoded: ${type}. Correct it, or remove the event.`);
}
