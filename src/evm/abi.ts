import { keccak256 } from 'viem';
import { ConfigError } from '../errors.js';
import { isRecord } from '../internal/guards.js';

/** What is made of an ABI once: it is remembered by the ABI's object, which must not change. */
export function oncePerAbi<Made>(make: (abi: readonly unknown[]) => Made): (abi: readonly unknown[]) => Made {
  const known = new WeakMap<object, Made>();
  return (abi) => {
    let made = known.get(abi);
    if (made === undefined) {
      made = make(abi);
      known.set(abi, made);
    }
    return made;
  };
}

/**
 * The items of one kind in an ABI.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is no ABI.
 */
export function itemsOf<Item>(abi: readonly unknown[], kind: 'event' | 'function'): Item[] {
  if (!Array.isArray(abi)) {
    throw new ConfigError('The ABI must be an array of items, such as the "abi" of a compiled contract.');
  }
  if (abi.some((item) => typeof item === 'string')) {
    throw new ConfigError('The ABI is text: pass it through parseAbi of abitype.');
  }
  const items = abi.filter((item) => isRecord(item) && item.type === kind);
  const broken = items.findIndex(({ name, inputs }) => typeof name !== 'string' || !areParameters(inputs ?? []));
  if (broken === -1) return items;
  throw new ConfigError(`The ABI's ${kind} at position ${broken} has no name, or inputs without types.`);
}

function areParameters(value: unknown): boolean {
  return Array.isArray(value) && value.every(isParameter);
}

function isParameter(value: unknown): boolean {
  if (!isRecord(value) || typeof value.type !== 'string') return false;
  return value.type.startsWith('tuple') ? areParameters(value.components) : true;
}

/** The keccak256 hash of a signature such as `Transfer(address,address,uint256)`. */
export function hashOf(signature: string): string {
  return keccak256(new TextEncoder().encode(signature));
}
