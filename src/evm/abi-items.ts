import type { AbiEvent } from 'abitype';
import { ConfigError } from '../errors.js';
import { optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import { codecOf } from './codec-of.js';
import { areNamed } from './composite-codecs.js';
import { hashOf } from './keccak.js';

/** Caches the result of `make` by ABI object, which must not change. */
export function oncePerAbi<Made>(make: (abi: unknown) => Made): (abi: unknown) => Made {
  const known = new WeakMap<object, Made>();
  return (abi) => {
    let made = known.get(abi as object);
    if (made === undefined) {
      made = make(abi);
      known.set(abi as object, made);
    }
    return made;
  };
}

/**
 * The items of one kind in an ABI.
 *
 * @param onBroken Called with the name of an item whose inputs have no types; the item is then skipped. (Default:
 * throws.) @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is not an ABI.
 */
export function itemsOf<Item>(abi: unknown, kind: 'event' | 'function', onBroken?: (name: string) => void): Item[] {
  if (!Array.isArray(abi)) throw optionError('abi', 'an array of items, such as `abi` of a compiled contract', abi);
  if (abi.some((item) => typeof item === 'string')) {
    throw new ConfigError('`abi` is text. Pass it through parseAbi(...) of abitype or viem.');
  }
  return abi.filter((item, at) => {
    if (!isRecord(item) || item.type !== kind) return false;
    const { name, inputs = [] } = item;
    if (typeof name === 'string' && areParameters(inputs)) return true;
    if (onBroken && typeof name === 'string' && Array.isArray(inputs)) {
      onBroken(name);
      return false;
    }
    throw new ConfigError(
      `The ${kind} at position ${at} of \`abi\` lacks a name, or types of its inputs, or nests them too deeply.`,
    );
  });
}

/** Limits for nesting and length of types. Parsing recurses, so larger ones are an attack. */
const MOST_NESTED = 64;
const LONGEST_TYPE = 256;

function areParameters(value: unknown, depth = 0): boolean {
  return Array.isArray(value) && depth < MOST_NESTED && value.every((each) => isParameter(each, depth));
}

function isParameter(value: unknown, depth: number): boolean {
  if (!isRecord(value) || typeof value.type !== 'string' || value.type.length > LONGEST_TYPE) return false;
  return value.type.startsWith('tuple') ? areParameters(value.components, depth + 1) : true;
}

export type AbiEventItem = ReturnType<typeof abiEventItem>;
export type ItemInput = AbiEventItem['inputs'][number];

/**
 * Prepares an event of an ABI once to decode any number of logs.
 *
 * @param textOf Decodes the UTF-8 of strings; see `codecOf`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an unknown type or a duplicate name.
 */
export function abiEventItem(event: AbiEvent, textOf?: (bytes: Uint8Array) => string) {
  const { name, inputs: parameters = [], anonymous = false } = event;
  const inputs = parameters.map((parameter, at) => {
    const codec = codecOf(parameter, textOf);
    const isIndexed = parameter.indexed === true;
    const inputName = parameter.name ?? '';
    return {
      name: inputName,
      /** Its name, or its position if it has none, for error messages. */
      label: inputName || `#${at}`,
      codec,
      isIndexed,
      /** Whether its argument is a keccak256 hash, as for an indexed string. */
      isHashed: isIndexed && codec.isHashed,
    };
  });
  const shapes = inputs.map((input) => `${input.codec.shape}${input.isIndexed ? ' indexed' : ''} ${input.name}`);
  const indexed = inputs.filter(({ isIndexed }) => isIndexed).length;
  return {
    name,
    /** Canonical signature: `Transfer(address,address,uint256)`. */
    signature: `${name}(${inputs.map(({ codec }) => codec.type).join(',')})`,
    /** The signature with names and `indexed`. Events with equal shapes decode to the same arguments. */
    shape: `${name}(${shapes.join(',')})${anonymous ? ' anonymous' : ''}`,
    isAnonymous: anonymous,
    inputs,
    /** Whether the arguments are an object; otherwise they are an array. */
    isNamed: areNamed(inputs.map((input) => input.name)),
    /** Number of topics in its log, including the signature's hash. */
    topicCount: indexed + (anonymous ? 0 : 1),
    /** The position of an input by its name. */
    positions: new Map(inputs.map((input, at) => [input.name, at])),
  };
}

export type AbiEventItems = ReturnType<typeof groupEvents>;

/**
 * Reads the events of an ABI, once per ABI.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is not an ABI.
 */
export const abiEventItems = oncePerAbi((abi) => readEvents(abi));

/** Reads the events of an ABI. `textOf` decodes the UTF-8 of strings; see `codecOf`. */
export function readEvents(abi: unknown, textOf?: (bytes: Uint8Array) => string) {
  const items: AbiEventItem[] = [];
  const broken = new Map<string, unknown>();
  for (const event of itemsOf<AbiEvent>(abi, 'event')) {
    try {
      items.push(abiEventItem(event, textOf));
    } catch (error) {
      broken.set(event.name, error);
    }
  }
  return groupEvents(items, broken);
}

/**
 * Indexes events for look-up.
 *
 * @param broken Errors of events that cannot be decoded, by name. Other events are not affected.
 */
export function groupEvents(all: readonly AbiEventItem[], broken: ReadonlyMap<string, unknown>) {
  const signed = all.filter(({ isAnonymous }) => !isAnonymous);
  return {
    all,
    /** By the hash of their signature, the first topic of their logs. Anonymous events have none. */
    byTopic: groupBy(signed, ({ signature }) => hashOf(signature)),
    bySignature: groupBy(all, ({ signature }) => signature),
    broken,
  };
}

function groupBy(items: readonly AbiEventItem[], keyOf: (item: AbiEventItem) => string): Map<string, AbiEventItem[]> {
  const groups = new Map<string, AbiEventItem[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
