import type { AbiEvent } from 'abitype';
import type { Codec } from './codec.js';
import { codecOf } from './codec-of.js';
import { areNamed } from './record.js';

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
