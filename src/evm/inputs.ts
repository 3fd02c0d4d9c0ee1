import type { ContractEvent, EventEmitted, EventInput } from '../events/types.js';
import { isSameName } from './choose-item.js';
import { DecodeError, Problem } from './decode-error.js';
import type { EventItem, ItemInput } from './event-item.js';
import { isHash } from './wire-fields.js';

/**
 * The inputs of an event in the order of the ABI: by their names where these are those of the ABI, else by position.
 * Gives what is wrong where neither holds.
 */
export function alignInputs({ inputs }: ContractEvent, item: EventItem): readonly EventInput[] | string {
  if (inputs.length !== item.inputs.length)
    return `${inputs.length} inputs came, and the ABI has ${item.inputs.length}.`;
  if (inputs.every(({ name }, at) => item.inputs[at]?.name === name)) return inputs;
  const positions = inputs.map(({ name }) => (name === '' ? undefined : item.positions.get(name)));
  if (item.isNamed && new Set(positions).size === inputs.length && !positions.includes(undefined)) {
    return item.inputs.map((_, at) => inputs[positions.indexOf(at)] as EventInput);
  }
  // Other names are no matter, but one that the ABI has in another place is.
  if (positions.every((position, at) => position === undefined || position === at)) return inputs;
  return 'the names of the inputs are in other places than in the ABI.';
}

/** Whether the type of an input is that of the ABI, in any way that it may be written. */
export function hasType(type: string, { codec, isHashed }: ItemInput): boolean {
  if (type === codec.type) return true;
  const written = type.replace(/\s+/g, '');
  if (written === codec.type || (isHashed && written === 'bytes32')) return true;
  // Anything longer is another type, and a regular expression cannot read some MB of it.
  if (written.length > codec.type.length + 'tuple'.length) return false;
  const [, components, suffix] = /^(?:tuple)?(\(.*\))?((?:\[\d*\])*)$/s.exec(written) ?? [];
  if (suffix === undefined) return /^u?int(?=\[|$)/.test(written) && written.replace('int', 'int256') === codec.type;
  if (components !== undefined) return components + suffix === codec.type;
  return (
    written.startsWith('tuple') &&
    codec.type.startsWith('(') &&
    codec.type.slice(codec.type.lastIndexOf(')') + 1) === suffix
  );
}

const OTHER_NAME =
  'has another name than in the ABI, and without rawFields nothing else tells events of one signature apart. Give the ABI that the service has.';

/**
 * Reads the arguments of an event without `rawFields` from its inputs, in the order of the ABI.
 *
 * @throws DecodeError `ERR_WEBHOOK_INPUT_VALUE` when one is not exactly a value of its type.
 */
export function decodeInputs(event: EventEmitted, item: EventItem): unknown[] {
  const inputs = alignInputs(event.data.event, item);
  if (typeof inputs === 'string')
    throw new DecodeError('ERR_WEBHOOK_INPUT_VALUE', event, 'inputs', `do not fit ${item.signature}: ${inputs}`);
  return item.inputs.map((input, at) => {
    const wire = inputs[at] as EventInput;
    const fail = (path: string, reason: string): never => {
      throw new DecodeError('ERR_WEBHOOK_INPUT_VALUE', event, input.label + path, reason);
    };
    if (!isSameName(input.name, wire.name)) fail('', OTHER_NAME);
    if (!hasType(wire.type, input)) fail('', `has another type than in the ABI, where it is ${input.codec.type}.`);
    if (wire.hashed !== input.isHashed) {
      fail(
        '',
        `is ${wire.hashed ? '' : 'not '}hashed, and by the ABI it should ${input.isHashed ? '' : 'not '}be. Is it indexed in the contract?`,
      );
    }
    try {
      if (!input.isHashed) return input.codec.fromWire(wire.value);
      if (isHash(wire.value)) return wire.value.toLowerCase();
      throw new Problem('is no hash: 0x and 64 hex digits.');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return fail(error.path, error.message);
    }
  });
}
