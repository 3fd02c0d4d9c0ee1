import { inputError } from '../../command-error.js';
import type { AbiInput } from './abi-event.js';

const ADDRESSES = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'];
/** 2026-01-02T03:04:05Z */
const TIME = '1767323045';
const ONE_TOKEN = '1000000000000000000';
/** Limit of the values in one argument. */
const MOST_VALUES = 10_000;

/** A sample value for an input, in a form that sampleContractEvent takes. */
export function sampleValue(input: AbiInput, position: number): unknown {
  let left = MOST_VALUES;

  function sampleOf({ name, type, components }: AbiInput): unknown {
    if (--left < 0)
      throw inputError(`The input ${input.name || position} has too many values for a sample: give it with --args.`);
    const [, element, length] = /^(.*)\[(\d*)\]$/s.exec(type) ?? [];
    if (element !== undefined) {
      const values: unknown[] = [];
      for (let at = 0; at < Number(length || 1); at++) values.push(sampleOf({ name, type: element, components }));
      return values;
    }
    if (type === 'tuple') return components.map(sampleOf);
    if (type === 'address') return ADDRESSES[position % ADDRESSES.length];
    if (type === 'bool') return true;
    if (type === 'string') return name ? `sample ${name}` : 'sample';
    if (type.includes('int')) return integerOf(name, type);
    return `0x${'5a'.repeat(type === 'function' ? 24 : Math.min(Number(type.slice('bytes'.length)) || 4, 32))}`;
  }

  return sampleOf(input);
}

function integerOf(name: string, type: string): string {
  const bits = Number(/\d+/.exec(type)?.[0] ?? 256);
  if (/time|deadline|expir|until/i.test(name)) return bits >= 32 ? TIME : '1';
  const isAmount = !/(^|[a-z])(id|index|nonce|count|number|decimals)s?$/i.test(name);
  return isAmount && bits >= 96 ? ONE_TOKEN : '1';
}
