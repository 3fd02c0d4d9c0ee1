import type { AbiEvent } from 'abitype';
import { keccak256 } from 'viem';
import { ConfigError } from '../errors.js';
import { isRecord } from '../internal/guards.js';
import { areNamed, codecOf } from './codec-of.js';
import type { Codec } from './elementary-codecs.js';

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

/** One input of an event in an ABI. */
export interface ItemInput {
  readonly name: string;
  /** Its name, or its position where it has none: for messages. */
  readonly label: string;
  readonly codec: Codec;
  readonly isIndexed: boolean;
  /** Whether its argument is a keccak256 hash, which is all that the topic of an indexed string, say, holds. */
  readonly isHashed: boolean;
}

/** An event of an ABI, made ready once to decode any number of logs. */
export interface EventItem {
  readonly name: string;
  /** Canonical signature: `Transfer(address,address,uint256)`. */
  readonly signature: string;
  /** The signature with what it leaves out, names and `indexed`: what has the same one gives the same arguments. */
  readonly shape: string;
  readonly isAnonymous: boolean;
  readonly inputs: readonly ItemInput[];
  /** Those whose value a topic holds, in order; what stands in the topic of the others is their hash. */
  readonly inTopics: readonly ItemInput[];
  /** Those that the data holds, in order. */
  readonly inData: readonly ItemInput[];
  /** The arguments are an object; otherwise an array. */
  readonly isNamed: boolean;
  /** How many topics its log has, that of its signature among them. */
  readonly topicCount: number;
  /** The position of an input by its name. */
  readonly positions: ReadonlyMap<string, number>;
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` for a type that is none, or a name that is there twice. */
export function eventItem({ name, inputs: parameters = [], anonymous = false }: AbiEvent): EventItem {
  const inputs = parameters.map((parameter, at): ItemInput => {
    const codec = codecOf(parameter);
    const isIndexed = parameter.indexed === true;
    const inputName = parameter.name ?? '';
    const isHashed = isIndexed && codec.isHashed;
    return { name: inputName, label: inputName || `#${at}`, codec, isIndexed, isHashed };
  });
  const shapes = inputs.map((input) => `${input.codec.shape}${input.isIndexed ? ' indexed' : ''} ${input.name}`);
  const indexed = inputs.filter(({ isIndexed }) => isIndexed).length;
  return {
    name,
    signature: `${name}(${inputs.map(({ codec }) => codec.type).join(',')})`,
    shape: `${name}(${shapes.join(',')})${anonymous ? ' anonymous' : ''}`,
    isAnonymous: anonymous,
    inputs,
    inTopics: inputs.filter(({ isIndexed, isHashed }) => isIndexed && !isHashed),
    inData: inputs.filter(({ isIndexed }) => !isIndexed),
    isNamed: areNamed(inputs.map((input) => input.name)),
    topicCount: indexed + (anonymous ? 0 : 1),
    positions: new Map(inputs.map((input, at) => [input.name, at])),
  };
}

/** Events of an ABI under what they are looked up by. */
export interface EventItems {
  readonly all: readonly EventItem[];
  /** By the hash of their signature, which is the first topic of their logs. Anonymous ones have none. */
  readonly byTopic: ReadonlyMap<string, readonly EventItem[]>;
  readonly bySignature: ReadonlyMap<string, readonly EventItem[]>;
  /** Why those that cannot be decoded cannot, by name: the others of the ABI can. */
  readonly broken: ReadonlyMap<string, unknown>;
}

/**
 * The events of an ABI, read once.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is no ABI.
 */
export const eventItems = oncePerAbi((abi) => {
  const items: EventItem[] = [];
  const broken = new Map<string, unknown>();
  for (const event of itemsOf<AbiEvent>(abi, 'event')) {
    try {
      items.push(eventItem(event));
    } catch (error) {
      broken.set(event.name, error);
    }
  }
  return groupEvents(items, broken);
});

/** Events under what they are looked up by. */
export function groupEvents(all: readonly EventItem[], broken: EventItems['broken']): EventItems {
  const signed = all.filter(({ isAnonymous }) => !isAnonymous);
  return {
    all,
    byTopic: groupBy(signed, ({ signature }) => hashOf(signature)),
    bySignature: groupBy(all, ({ signature }) => signature),
    broken,
  };
}

function groupBy(items: readonly EventItem[], keyOf: (item: EventItem) => string): Map<string, EventItem[]> {
  const groups = new Map<string, EventItem[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
