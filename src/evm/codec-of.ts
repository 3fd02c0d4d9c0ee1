import type { AbiParameter } from 'abitype';
import { ConfigError } from '../errors.js';
import type { Codec } from './codec.js';
import { arrayCodec, tupleCodec } from './codec-composite.js';
import { integerCodec } from './codec-integer.js';
import { addressCodec, booleanCodec, bytesCodec, stringCodec } from './codec-simple.js';

const ARRAY = /^(.*)\[(\d*)\]$/s;
const INTEGER = /^(u?)int(\d*)$/;
const BYTES = /^bytes(\d*)$/;

/** Reads one parameter of an ABI. */
export function codecOf(parameter: AbiParameter): Codec {
  const { type } = parameter;
  const [, element, length] = ARRAY.exec(type) ?? [];
  if (element !== undefined) {
    return arrayCodec(codecOf({ ...parameter, type: element }), length === '' ? undefined : Number(length));
  }
  if (type === 'tuple' && 'components' in parameter) {
    return tupleCodec(parameter.components.map((component) => ({ name: component.name ?? '', ...codecOf(component) })));
  }
  if (type === 'address') return addressCodec;
  if (type === 'bool') return booleanCodec;
  if (type === 'string') return stringCodec;
  // A function is an address and a selector, left-aligned in its word as bytes24 is.
  if (type === 'function') return { ...bytesCodec(24), type, shape: type };

  const [, unsigned, digits] = INTEGER.exec(type) ?? [];
  const bits = Number(digits || 256);
  if (unsigned !== undefined && bits > 0 && bits <= 256 && bits % 8 === 0) return integerCodec(unsigned === '', bits);
  const [, size] = BYTES.exec(type) ?? [];
  if (size === '') return bytesCodec(undefined);
  if (Number(size) > 0 && Number(size) <= 32) return bytesCodec(Number(size));
  throw new ConfigError(`The ABI has a type that cannot be decoded: ${type}. Check it, or leave the event out.`);
}
